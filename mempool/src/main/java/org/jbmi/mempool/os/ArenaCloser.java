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
        boolean interrupted = false;
        while (!tryClose(arena) && System.nanoTime() - start < timeoutNs) {
            LockSupport.parkNanos(RETRY_NS);
            interrupted |= Thread.interrupted(); // else the next park ends at once
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !arena.scope().isAlive();
    }

    private static boolean tryClose(Arena arena) {
        try {
            if (arena.scope().isAlive()) {
                arena.close();
            }
            return true;
        } catch (IllegalStateException held) {
            return !arena.scope().isAlive();
        }
    }
}
