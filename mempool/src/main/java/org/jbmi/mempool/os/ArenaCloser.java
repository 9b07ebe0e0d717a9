package org.jbmi.mempool.os;

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Closes arenas that a native call may still hold for a moment. */
public final class ArenaCloser {
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private ArenaCloser() {}

    /** Closes the arena; waits for the timeout at most. Returns whether the arena is closed. */
    public static boolean close(Arena arena, long timeoutNs) {
        long start = System.nanoTime();
        while (arena.scope().isAlive()) {
            try {
                arena.close();
            } catch (IllegalStateException held) {
                if (System.nanoTime() - start >= timeoutNs) {
                    return !arena.scope().isAlive();
                }
                LockSupport.parkNanos(RETRY_NS);
            }
        }
        return true;
    }
}
