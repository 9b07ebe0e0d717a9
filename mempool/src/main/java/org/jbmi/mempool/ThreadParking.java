package org.jbmi.mempool;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.locks.LockSupport;

/** The {@link Parking} of the threads of the running process, {@link LockSupport}. */
public final class ThreadParking implements Parking {
    /** The only instance needed; it has no state. */
    public static final ThreadParking INSTANCE = new ThreadParking();

    private ThreadParking() {}

    @Override
    public Thread current() {
        return Thread.currentThread();
    }

    @Override
    public void park(Object blocker, long timeoutNs) {
        LockSupport.parkNanos(blocker, timeoutNs);
    }

    @Override
    public void unpark(@Nullable Thread thread) {
        LockSupport.unpark(thread);
    }
}
