package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.server.files.BeneathCheck;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.files.FileTree;
import org.jbmi.zoidfs.server.files.OpenFile;
import org.jbmi.zoidfs.server.observe.Fault;
import org.jbmi.zoidfs.server.observe.ServerLog;
import org.jbmi.zoidfs.server.os.FileStat;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Consumer;

/**
 * Answers requests that need no disk, in the ordering stage: attributes of open files, and reads of
 * cached bytes. It reads at most 1 MiB in one pass. A worker does everything else, and also finds
 * the errors. Owned by the ordering stage.
 */
final class AtOnce {
    /** How many bytes one pass may read: to copy more would delay other requests. */
    private static final long MAX_TURN_BYTES = 1 << 20;

    private final ExportRoot root;
    private final SystemCalls calls;
    private final BeneathCheck beneathCheck;
    private final Consumer<DiskTask> workers;
    private final FileStat stat = new FileStat();
    private long leftBytes;

    AtOnce(ExportRoot root, SystemCalls calls, Consumer<DiskTask> workers) {
        this.root = root;
        this.calls = calls;
        this.beneathCheck = new BeneathCheck(root, calls);
        this.workers = workers;
    }

    /** Ends the watches, after the end of the stage. */
    void close() {
        beneathCheck.close();
    }

    /** A pass of the stage begins. */
    void beginTurn() {
        leftBytes = MAX_TURN_BYTES;
        // One look at moves is enough for a pass: its requests came before the pass.
        beneathCheck.beginTurn();
    }

    /** The answer to a request for attributes, or null if a worker must give it. */
    @Nullable Reply attributes(Request request) {
        OpenFile file = root.find(Objects.requireNonNull(request.handle()));
        if (file == null) {
            return null;
        }
        try {
            return beneathCheck.isUsableNow(file, stat) ? FileTree.attributes(request, stat) : null;
        } finally {
            leave(file);
        }
    }

    /** Runs a batch; false if a worker must run it or the rest of it. */
    boolean run(Batch batch, FileHandle handle) {
        long bytes = batch.sizeBytes();
        if (!batch.isReading() || bytes > leftBytes) {
            return false;
        }
        OpenFile file = root.find(handle);
        if (file == null) {
            return false;
        }
        leftBytes -= bytes;
        try {
            int content = beneathCheck.isUsableNow(file, stat) ? file.contentAtOnce(stat) : -1;
            return content >= 0 && batch.readAtOnce(calls.atOnce(), content);
        } finally {
            leave(file);
        }
    }

    private void leave(OpenFile file) {
        if (!root.leave(file)) {
            return;
        }
        try {
            workers.accept(new Closing(file));
        } catch (RuntimeException | OutOfMemoryError e) {
            ServerLog.failed(Fault.WORKER_TASK, e);
            // The file is in no table, so nobody else closes it.
            root.closeLeft(calls, file);
        }
    }

    /**
     * Closes a file that has lost its last name, so that the system frees its space on the disk.
     */
    private final class Closing extends DiskTask {
        private final OpenFile file;

        Closing(OpenFile file) {
            this.file = file;
        }

        @Override
        void run(SystemCalls own) {
            root.closeLeft(own, file);
        }

        @Override
        void done() {}
    }
}
