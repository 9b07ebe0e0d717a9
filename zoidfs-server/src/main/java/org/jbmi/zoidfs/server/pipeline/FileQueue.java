package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.PeerAddress;
import org.jbmi.spi.HashMaps;
import org.jbmi.spi.LinkedNode;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.files.WriteErrors;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;

/** The operations under way on one file, of all clients. Owned by the ordering stage. */
final class FileQueue extends LinkedNode {
    /** The value of an unknown offset. */
    static final long UNKNOWN = -1;

    final FileHandle handle;

    /** A linked list, as the others here: it loses nothing if there is no memory to add one. */
    @SuppressWarnings("JdkObsolete") // an ArrayDeque that cannot grow loses what it holds
    final Queue<FileOperation> waiting = new LinkedList<>();

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
    final Set<DataCall> appends = HashMaps.set();

    /** Appends that wait for the end of the file. */
    @SuppressWarnings("JdkObsolete") // an ArrayDeque that cannot grow loses what it holds
    final Queue<DataCall> awaitingEnd = new LinkedList<>();

    /** Writes that were answered and are not in the file yet. */
    int unwritten;

    /**
     * The first error of a write that was answered early, as long as it is not with the others in
     * {@link FileQueues#errors}; else OK. To keep it here takes no memory.
     */
    int error = Status.OK;

    /** The client of that write, once there was one. */
    private @Nullable PeerAddress errorClient;

    FileQueue(FileHandle handle) {
        this.handle = handle;
    }

    /** Keeps the error of a write that was answered early, unless there is one already. */
    void keepError(int status, PeerAddress client) {
        if (error == Status.OK) {
            error = status;
            errorClient = client;
        }
    }

    /**
     * Moves the error to the others, if there is one. If that throws, it stays here.
     *
     * @throws OutOfMemoryError if there is no memory for it there
     */
    void handErrorTo(WriteErrors errors) {
        if (error != Status.OK) {
            errors.store(handle, error, Objects.requireNonNull(errorClient));
            error = Status.OK;
        }
    }

    boolean isIdle() {
        return calls == 0
                && waiting.isEmpty()
                && running.isEmpty()
                && batches == 0
                && appends.isEmpty()
                && awaitingEnd.isEmpty()
                && unwritten == 0
                && error == Status.OK;
    }
}
