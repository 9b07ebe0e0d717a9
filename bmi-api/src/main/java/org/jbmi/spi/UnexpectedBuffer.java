package org.jbmi.spi;

import org.jbmi.PeerAddress;

import java.lang.foreign.MemorySegment;

/** An unexpected message in the hands of the program. Made and pooled by the core. */
public interface UnexpectedBuffer {
    /**
     * Tells one use of this object from the next.
     *
     * @return changes when the message is freed
     */
    long serial();

    /**
     * The sender.
     *
     * @return its handle
     */
    PeerAddress peer();

    /**
     * Its tag.
     *
     * @return any 32-bit value
     */
    int tag();

    /**
     * Its class.
     *
     * @return 0 to 255
     */
    int messageClass();

    /**
     * Whether it arrived whole.
     *
     * @return 0 or a negative code
     */
    int error();

    /**
     * Its length.
     *
     * @return bytes
     */
    long sizeBytes();

    /**
     * Where its bytes lie.
     *
     * @return a segment that holds other messages too
     */
    MemorySegment memory();

    /**
     * Where they begin.
     *
     * @return an offset into {@link #memory()}
     */
    long offset();

    /**
     * A view of its bytes.
     *
     * @return a new view
     */
    default MemorySegment payload() {
        return memory().asSlice(offset(), sizeBytes());
    }

    /**
     * Gives the memory back.
     *
     * @param serial the serial at the time of delivery
     * @return false if it was freed before; nothing happened
     */
    boolean free(long serial);
}
