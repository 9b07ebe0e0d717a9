package org.jbmi.zoid.common;

import org.jbmi.zbmi.protocol.Message;

import java.util.ArrayDeque;

/** Messages for calls, used again and again; it grows to the most that were in use at a time. */
public final class MessagePool {
    private static final int MOST_KEPT = 1024;

    private final ArrayDeque<Message> free = new ArrayDeque<>();

    /** An empty pool. */
    public MessagePool() {}

    /** Takes one. */
    public Message take() {
        synchronized (free) {
            Message message = free.pollLast();
            return message == null ? new Message() : message;
        }
    }

    /** Gives one back. */
    public void give(Message message) {
        synchronized (free) {
            if (free.size() < MOST_KEPT) {
                free.addLast(message);
            }
        }
    }
}
