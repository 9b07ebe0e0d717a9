package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.zoidfs.server.os.SystemCalls;

/** Work that waits for the disk: runs in a worker, then reports to the ordering stage. */
abstract class DiskTask {
    /** Runs in a worker; may block, must not throw. */
    abstract void run(SystemCalls calls);

    /** Runs in the ordering stage, after {@link #run}. */
    abstract void done();
}
