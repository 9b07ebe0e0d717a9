package org.jbmi.mempool.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What one thread needs to send to and receive from message queues without allocating: room for a
 * message of 64-bit words, for a time-out, and for the error number. Never to be used from two
 * threads at a time. Its memory goes with it.
 */
public final class QueueBuffer {
    private final MemorySegment bytes;
    private final WaitBuffer state = new WaitBuffer();

    /**
     * Reserves the memory.
     *
     * @param capacityBytes of the largest message, a multiple of 8
     */
    public QueueBuffer(int capacityBytes) {
        this.bytes = Arena.ofAuto().allocate(capacityBytes, Long.BYTES);
    }

    /**
     * Reads a word of the message.
     *
     * @param index counts words
     * @return what it holds
     */
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

    MemorySegment bytes() {
        return bytes;
    }

    WaitBuffer state() {
        return state;
    }
}
