package org.jbmi.zbmi.socket;

import java.nio.ByteBuffer;

/**
 * Walks over the memory of one message, in either direction, and gives it to a socket piece by
 * piece. Not thread-safe.
 */
public interface PayloadCursor {
    /**
     * Makes views of the next bytes.
     *
     * @param views gets buffers whose remaining bytes are that memory; valid until the next call of
     *     anything
     * @param from index of the first; the last element of the array is left alone
     * @return how many buffers there are; 0 if the memory cannot be used
     */
    int window(ByteBuffer[] views, int from, long maxBytes);

    /** Moves on. */
    void advance(long bytes);
}
