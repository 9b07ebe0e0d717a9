package org.jbmi.zbmi.host;

import org.jbmi.zbmi.protocol.Message;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A ring of messages between two threads of a process, one that offers and one that polls at a
 * time; in the heap, where no other process can reach it. Allocates nothing.
 */
final class MessageRing {
    private static final int RECORD = 1 + Message.MAX_WORDS;
    private static final VarHandle HEAD;
    private static final VarHandle TAIL;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            HEAD = lookup.findVarHandle(MessageRing.class, "head", long.class);
            TAIL = lookup.findVarHandle(MessageRing.class, "tail", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long[] records;
    private final int mask;
    private long head;
    private long tail;

    /**
     * An empty ring.
     *
     * @param capacity messages that it has room for, a power of two
     */
    MessageRing(int capacity) {
        records = new long[capacity * RECORD];
        mask = capacity - 1;
    }

    /** Appends a copy of a message; false if there is no room. For the thread that offers. */
    boolean offer(Message message) {
        long at = tail;
        if (at - (long) HEAD.getAcquire(this) > mask) {
            return false;
        }
        int record = (int) (at & mask) * RECORD;
        records[record] = message.header();
        for (int i = 0; i < message.wordCount(); i++) {
            records[record + 1 + i] = message.word(i);
        }
        TAIL.setVolatile(this, at + 1);
        return true;
    }

    /** Takes the oldest message; false if there is none. For the thread that polls. */
    boolean poll(Message into) {
        long at = head;
        if (at == (long) TAIL.getAcquire(this)) {
            return false;
        }
        int record = (int) (at & mask) * RECORD;
        int words = into.load(records[record]);
        for (int i = 0; i < words; i++) {
            into.setWord(i, records[record + 1 + i]);
        }
        HEAD.setRelease(this, at + 1);
        return true;
    }

    /** Whether there is nothing to poll. Any thread. */
    boolean isEmpty() {
        return (long) HEAD.getVolatile(this) == (long) TAIL.getVolatile(this);
    }
}
