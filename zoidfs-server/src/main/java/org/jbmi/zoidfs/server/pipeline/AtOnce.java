package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.files.FileTree;
import org.jbmi.zoidfs.server.files.OpenFile;
import org.jbmi.zoidfs.server.os.FileStat;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Consumer;

/**
 * Does in the ordering stage what waits for no disk: attributes of files that are open, and reads
 * of what is in memory, some in each turn. Whatever is not so goes to a worker, who also finds out
 * what is wrong with it. Owned by the ordering stage.
 */
final class AtOnce {
    /** How much may be read in one turn of the stage; copying more would keep others waiting. */
    private static final long MAX_TURN_BYTES = 1 << 20;

    private final ExportRoot root;
    private final SystemCalls calls;
    private final Consumer<DiskTask> workers;
    private final FileStat stat = new FileStat();
    private long leftBytes;

    AtOnce(ExportRoot root, SystemCalls calls, Consumer<DiskTask> workers) {
        this.root = root;
        this.calls = calls;
        this.workers = workers;
    }

    /** A turn of the stage begins. */
    void beginTurn() {
        leftBytes = MAX_TURN_BYTES;
        // What is done in a turn came before it, so where the export is need be asked once in it.
        calls.atOnce().forgetFolder();
    }

    /** The answer to a request for attributes, or null if a worker must give it. */
    @Nullable Reply attributes(Request request) {
        OpenFile file = root.find(Objects.requireNonNull(request.handle()));
        if (file == null) {
            return null;
        }
        try {
            return root.isAtHand(calls, file, stat) ? FileTree.attributes(request, stat) : null;
        } finally {
            leave(file);
        }
    }

    /** Runs a batch; false if a worker must run it, or the rest of it. */
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
            int content = root.isAtHand(calls, file, stat) ? file.contentAtOnce(stat) : -1;
            return content >= 0 && batch.readAtOnce(calls.atOnce(), content);
        } finally {
            leave(file);
        }
    }

    private void leave(OpenFile file) {
        if (root.leave(file)) {
            workers.accept(new Closing(file));
        }
    }

    /**
     * Closes a file that lost its last name, whose space on the disk the system gives back then.
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
