package org.jbmi.zoid.common;

import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

/**
 * Messages for calls, used again and again; it grows to the most that were in use at a time. To
 * give one back allocates nothing, and so never fails.
 */
public final class MessagePool {
    private static final int MOST_KEPT = 1024;

    private final @Nullable Message[] free = new Message[MOST_KEPT];
    private int count;

    /** An empty pool. */
    public MessagePool() {}

    /** Takes one. */
    public synchronized Message take() {
        Message message = count == 0 ? null : free[--count];
        if (message == null) {
            return new Message();
        }
        free[count] = null;
        return message;
    }

    /** Gives one back. */
    public synchronized void give(Message message) {
        if (count < MOST_KEPT) {
            free[count++] = message;
        }
    }
}
