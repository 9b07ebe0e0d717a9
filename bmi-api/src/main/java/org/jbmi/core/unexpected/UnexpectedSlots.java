package org.jbmi.core.unexpected;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;
import org.jbmi.core.waiting.Arguments;
import org.jbmi.spi.NumberTable;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/** The messages that a test call delivered. The serial tells one use of a buffer from the next. */
public final class UnexpectedSlots implements UnexpectedMessages {
    private final @Nullable UnexpectedBuffer[] buffers;
    private final long[] serials;
    private int count;

    /** The queue for which a test call polls with this room; null if none does. */
    private @Nullable UnexpectedQueue polled;

    /** The thread of that call. Other threads read it too, but find only that it is not theirs. */
    private @Nullable Thread poller;

    /**
     * Makes an array of one size.
     *
     * @param capacity 0 or more, else an exception with {@link ErrorCode#EINVAL}
     */
    public UnexpectedSlots(int capacity) {
        if (capacity < 0) {
            throw Arguments.invalid("A capacity is 0 or more, not " + capacity + ".");
        }
        buffers = new UnexpectedBuffer[capacity];
        serials = new long[capacity];
    }

    @Override
    public int capacity() {
        return buffers.length;
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public PeerAddress peer(int i) {
        return held(i).peer;
    }

    @Override
    public int tag(int i) {
        return held(i).tag;
    }

    @Override
    public int messageClass(int i) {
        return held(i).messageClass;
    }

    @Override
    public ErrorCode outcome(int i) {
        return held(i).outcome;
    }

    @Override
    public long sizeBytes(int i) {
        return held(i).sizeBytes;
    }

    @Override
    public MemorySegment payload(int i) {
        UnexpectedBuffer buffer = held(i);
        return buffer.memory.asSlice(buffer.offset, buffer.sizeBytes);
    }

    @Override
    public MemorySegment memory(int i) {
        return held(i).memory;
    }

    @Override
    public long offset(int i) {
        return held(i).offset;
    }

    @Override
    public void free(int i) {
        checkIndex(i);
        UnexpectedBuffer buffer = buffers[i];
        if (buffer == null || !buffer.free(serials[i])) {
            throw alreadyFreed(i);
        }
        buffers[i] = null;
    }

    @Override
    public void freeAll() {
        for (int i = 0; i < count; i++) {
            UnexpectedBuffer buffer = buffers[i];
            if (buffer != null) {
                buffer.freeAll(this);
                return;
            }
        }
    }

    @Override
    public void clear() {
        for (int i = 0; i < count; i++) {
            buffers[i] = null;
        }
        count = 0;
    }

    /** The calling thread polls for messages of a queue from now on; null: no longer. */
    void polls(@Nullable UnexpectedQueue queue) {
        polled = queue;
        poller = queue == null ? null : Thread.currentThread();
    }

    /** Whether the calling thread polls for messages of a queue. */
    @SuppressWarnings("ReferenceEquality") // the very thread and queue
    boolean isPolledHere(UnexpectedQueue queue) {
        return poller == Thread.currentThread() && polled == queue;
    }

    boolean isFull() {
        return count == buffers.length;
    }

    /**
     * Whether one more message can be added here and to the table of those that the program holds.
     * If the JVM has no memory for that, the call reports those that it has. Without any it fails,
     * and the message is still in its queue.
     */
    boolean hasRoom(NumberTable<UnexpectedBuffer> held) {
        if (isFull()) {
            return false;
        }
        try {
            held.makeRoom();
            return true;
        } catch (OutOfMemoryError e) {
            if (count == 0) {
                throw e;
            }
            return false;
        }
    }

    /** Adds a message; there must be room. */
    void add(UnexpectedBuffer buffer) {
        serials[count] = buffer.serial();
        buffers[count++] = buffer;
    }

    /** Takes a message out for {@link UnexpectedStore#freeAll}; null if it was freed before. */
    @Nullable UnexpectedBuffer takeHeld(int i) {
        UnexpectedBuffer buffer = buffers[i];
        buffers[i] = null;
        return buffer == null || buffer.serial() != serials[i] ? null : buffer;
    }

    /** Takes the last message out; null if there is none. */
    @Nullable UnexpectedBuffer takeLast() {
        UnexpectedBuffer last = count == 0 ? null : buffers[--count];
        buffers[count] = null;
        return last;
    }

    private UnexpectedBuffer held(int i) {
        checkIndex(i);
        UnexpectedBuffer buffer = buffers[i];
        if (buffer == null || buffer.serial() != serials[i]) {
            throw alreadyFreed(i);
        }
        return buffer;
    }

    private void checkIndex(int i) {
        if (i < 0 || i >= count) {
            throw Arguments.invalid(
                    "Message " + i + " was asked for, but there are " + count + ".");
        }
    }

    private static BmiException alreadyFreed(int i) {
        return Arguments.invalid("Message " + i + " has been freed before.");
    }
}
