package org.jbmi.zoid.common;

import org.jbmi.spi.SpinLock;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

/**
 * Messages for calls, reused; it grows with the number in use at a time. Returning one allocates
 * nothing, so it never fails.
 */
public final class MessagePool {
    private static final int MOST_KEPT = 1024;

    private final SpinLock lock;
    private final @Nullable Message[] free = new Message[MOST_KEPT];
    private int count;

    /** An empty pool. */
    public MessagePool(SpinLock lock) {
        this.lock = lock;
    }

    /** Takes one. */
    public Message take() {
        lock.lock();
        Message message = count == 0 ? null : free[--count];
        lock.unlock();
        return message == null ? new Message() : message;
    }

    /** Returns one. */
    public void give(Message message) {
        lock.lock();
        if (count < MOST_KEPT) {
            free[count++] = message;
        }
        lock.unlock();
    }
}
