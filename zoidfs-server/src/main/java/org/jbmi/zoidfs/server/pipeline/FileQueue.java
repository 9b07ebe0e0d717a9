package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.zoidfs.protocol.FileHandle;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The operations under way on one file, of all clients. Owned by the ordering stage. */
final class FileQueue {
    /** The value of an unknown offset. */
    static final long UNKNOWN = -1;

    final FileHandle handle;
    final Deque<FileOperation> waiting = new ArrayDeque<>();
    final List<FileOperation> running = new ArrayList<>();

    /** Unfinished reads and writes. */
    int calls;

    /** Batches with the workers. */
    int batches;

    /** Whether one of them writes. */
    boolean isWriting;

    /** Whether it is in the list of queues to visit. */
    boolean marked;

    /** The offset of the next append, while appends are under way. */
    long appendEnd = UNKNOWN;

    /** Unfinished appends that have an offset. */
    final Set<DataCall> appends = new HashSet<>();

    /** Appends that wait for the end of the file. */
    final Deque<DataCall> awaitingEnd = new ArrayDeque<>();

    /** Writes that were answered and are not in the file yet. */
    int unwritten;

    FileQueue(FileHandle handle) {
        this.handle = handle;
    }

    boolean isIdle() {
        return calls == 0
                && waiting.isEmpty()
                && running.isEmpty()
                && batches == 0
                && appends.isEmpty()
                && awaitingEnd.isEmpty()
                && unwritten == 0;
    }
}
