package org.jbmi.zoid.daemon;

import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.client.ZoidException;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Limits the buffers of two sizes that are in use at a time; a call takes a small one if it fits.
 * Requests and replies have separate limits. So a call with a request buffer waits only for calls
 * that have both, and these wait for none. A request that came inside its message is in the heap
 * before it takes a buffer.
 */
final class Budget {
    private final int smallBytes;
    private final Semaphore small;
    private final Semaphore large;
    private final Duration patience;

    Budget(int smallBytes, int smallCount, int largeCount, Duration patience) {
        this.smallBytes = smallBytes;
        this.small = new Semaphore(smallCount, true);
        this.large = new Semaphore(largeCount, true);
        this.patience = patience;
    }

    /** Takes a buffer, to be returned by {@link Semaphore#release()}. */
    Semaphore take(long bytes) throws InterruptedException {
        Semaphore size = bytes <= smallBytes ? small : large;
        if (!size.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new ZoidException(
                    ZoidError.ENOMEM, 0, "The server has had no buffer free for " + patience + ".");
        }
        return size;
    }
}
