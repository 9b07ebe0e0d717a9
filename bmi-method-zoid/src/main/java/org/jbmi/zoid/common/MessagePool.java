package org.jbmi.zoid.common;

import org.jbmi.spi.SpinLock;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Messages for calls, used again and again; it grows to the most that were in use at a time. To
 * give one back allocates nothing, and so never fails. What must be said at once, and waits for
 * nothing, finds a message also where the heap has no room for another one.
 */
public final class MessagePool {
    private static final int MOST_KEPT = 1024;

    private final SpinLock lock;
    private final @Nullable Message[] free = new Message[MOST_KEPT];
    private final Supplier<Message> maker;
    private final Message spare;
    private final ReentrantLock spareLock = new ReentrantLock();
    private int count;

    /**
     * An empty pool.
     *
     * @param lock of the half whose pool it is
     */
    public MessagePool(SpinLock lock) {
        this(lock, MessagePool::make);
    }

    /**
     * The same.
     *
     * @param lock of the half whose pool it is
     * @param maker makes a message, unless the heap is full
     */
    public MessagePool(SpinLock lock, Supplier<Message> maker) {
        this.lock = lock;
        this.maker = maker;
        this.spare = maker.get();
    }

    private static Message make() {
        return new Message();
    }

    /** Takes one. */
    public Message take() {
        lock.lock();
        Message message = takeLocked();
        lock.unlock();
        return message == null ? maker.get() : message;
    }

    /** Takes one that there is, or null; the lock is held. */
    public @Nullable Message takeLocked() {
        Message message = count == 0 ? null : free[--count];
        if (message != null) {
            free[count] = null;
        }
        return message;
    }

    /**
     * Takes one for a note, which must be said. The same thread gives it back when it has said it:
     * there is one for all while the heap is full.
     */
    public Message takeForNote() {
        try {
            return take();
        } catch (OutOfMemoryError e) {
            spareLock.lock();
            return spare;
        }
    }

    /** Gives one back. */
    public void give(Message message) {
        lock.lock();
        giveLocked(message);
        lock.unlock();
    }

    /** Gives one back; the lock is held. */
    @SuppressWarnings("ReferenceEquality") // the very object
    public void giveLocked(Message message) {
        if (message == spare) {
            spareLock.unlock();
        } else if (count < MOST_KEPT) {
            free[count++] = message;
        }
    }
}
