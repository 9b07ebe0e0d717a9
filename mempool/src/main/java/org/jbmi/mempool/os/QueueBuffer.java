package org.jbmi.mempool.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The memory with which one thread sends to and receives from message queues without allocation. It
 * holds a message of 64-bit words, a time-out, and the error number. Two threads must not use it at
 * the same time. Its memory is freed with it.
 */
public final class QueueBuffer {
    private static final short READABLE = 1;

    private final MemorySegment bytes;
    private final MemorySegment poll = Arena.ofAuto().allocate(8, Integer.BYTES);
    private final WaitBuffer state = new WaitBuffer();

    /**
     * Reserves the memory.
     *
     * @param capacityBytes of the largest message, a multiple of 8
     */
    public QueueBuffer(int capacityBytes) {
        this.bytes = Arena.ofAuto().allocate(capacityBytes, Long.BYTES);
    }

    /** Reads a word of the message. */
    public long word(int index) {
        return bytes.getAtIndex(ValueLayout.JAVA_LONG, index);
    }

    /**
     * Writes a word of the message.
     *
     * @param index counts words
     * @param word any
     */
    public void setWord(int index, long word) {
        bytes.setAtIndex(ValueLayout.JAVA_LONG, index, word);
    }

    // A descriptor, the events to wait for, and the events that have come.
    MemorySegment pollFor(int descriptor) {
        poll.set(ValueLayout.JAVA_INT, 0, descriptor);
        poll.set(ValueLayout.JAVA_SHORT, 4, READABLE);
        poll.set(ValueLayout.JAVA_SHORT, 6, (short) 0);
        return poll;
    }

    MemorySegment bytes() {
        return bytes;
    }

    WaitBuffer state() {
        return state;
    }
}
