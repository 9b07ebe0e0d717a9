package org.jbmi.zoid.common;

import org.jbmi.spi.SpinLock;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

/**
 * Messages for calls, used again and again; it grows to the most that were in use at a time. To
 * give one back allocates nothing, and so never fails.
 */
public final class MessagePool {
    private static final int MOST_KEPT = 1024;

    private final SpinLock lock;
    private final @Nullable Message[] free = new Message[MOST_KEPT];
    private int count;

    /**
     * An empty pool.
     *
     * @param lock that guards it
     */
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

    /** Gives one back. */
    public void give(Message message) {
        lock.lock();
        if (count < MOST_KEPT) {
            free[count++] = message;
        }
        lock.unlock();
    }
}
