package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.spi.LinkedNode;
import org.jbmi.zoidfs.server.observe.Fault;
import org.jbmi.zoidfs.server.observe.ServerLog;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/** Work that waits for the disk: runs in a worker, then reports to the ordering stage. */
abstract class DiskTask extends LinkedNode {
    /** The call whose client must have its turn before this runs; null if none must. */
    @Nullable Call call() {
        return null;
    }

    /** Gives it to a worker. If that fails, it ends at once, with an error. */
    final void give(Consumer<DiskTask> workers) {
        try {
            workers.accept(this);
        } catch (RuntimeException | OutOfMemoryError e) {
            ServerLog.failed(Fault.WORKER_TASK, e);
            done();
        }
    }

    /** Its turn has come; called in the ordering stage, before {@link #run}. */
    void begin() {}

    /** Runs in a worker; may block. If it throws, or never runs, {@link #done} reports an error. */
    abstract void run(SystemCalls calls);

    /** Runs in the ordering stage, after {@link #run}. */
    abstract void done();
}
