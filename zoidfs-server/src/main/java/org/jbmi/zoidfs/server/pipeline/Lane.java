package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Status;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What is under way on one file, of all clients. Owned by the ordering stage. */
final class Lane {
    /** Nobody knows where the next append goes. */
    static final long UNKNOWN = -1;

    final FileHandle handle;
    final Deque<LaneOperation> waiting = new ArrayDeque<>();
    final List<LaneOperation> running = new ArrayList<>();

    /** Reads and writes that were begun and are not over. */
    int calls;

    /** Batches with the workers. */
    int batches;

    /** Whether one of them writes. */
    boolean isWriting;

    /** Whether it is in the list of those to be looked at. */
    boolean marked;

    /** Where the next append goes, while appends are under way. */
    long appendEnd = UNKNOWN;

    /** Appends that were given a place and are not over. */
    final Set<DataCall> appends = new HashSet<>();

    /** Appends that wait to be told where the file ends. */
    final List<DataCall> awaitingEnd = new ArrayList<>();

    /** The first error of a write that was answered before; told by the next commit. */
    int storedStatus = Status.OK;

    /** Writes that were answered and are not in the file. */
    int unwritten;

    Lane(FileHandle handle) {
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
