package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.files.FileTree;
import org.jbmi.zoidfs.server.files.OpenFile;
import org.jbmi.zoidfs.server.files.Whereabouts;
import org.jbmi.zoidfs.server.os.FileStat;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Consumer;

/**
 * Does in the ordering stage what needs no disk: attributes of open files, and reads of cached
 * bytes, a limited number in each turn. A worker does everything else, and finds the errors too.
 * Owned by the ordering stage.
 */
final class AtOnce {
    /** How much may be read in one turn of the stage; copying more would keep others waiting. */
    private static final long MAX_TURN_BYTES = 1 << 20;

    private final ExportRoot root;
    private final SystemCalls calls;
    private final Whereabouts whereabouts;
    private final Consumer<DiskTask> workers;
    private final FileStat stat = new FileStat();
    private long leftBytes;

    AtOnce(ExportRoot root, SystemCalls calls, Consumer<DiskTask> workers) {
        this.root = root;
        this.calls = calls;
        this.whereabouts = new Whereabouts(root, calls);
        this.workers = workers;
    }

    /** Lets go of what is watched; when the stage has ended. */
    void close() {
        whereabouts.close();
    }

    /** A turn of the stage begins. */
    void beginTurn() {
        leftBytes = MAX_TURN_BYTES;
        // All results of a turn may use one look at what has moved: they are of requests that
        // came before the turn.
        whereabouts.beginTurn();
    }

    /** The answer to a request for attributes, or null if a worker must give it. */
    @Nullable Reply attributes(Request request) {
        OpenFile file = root.find(Objects.requireNonNull(request.handle()));
        if (file == null) {
            return null;
        }
        try {
            return whereabouts.isAtHand(file, stat) ? FileTree.attributes(request, stat) : null;
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
            int content = whereabouts.isAtHand(file, stat) ? file.contentAtOnce(stat) : -1;
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
