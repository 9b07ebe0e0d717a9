package org.jbmi.zbmi.socket;

import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Takes the frames of a {@link FrameReader}. */
public interface FrameHandler {
    /** The answer of {@link #onData} that drops the payload. */
    @Nullable PayloadCursor DISCARD = null;

    /**
     * Whether a frame can be taken now. If not, the reader keeps it and reads no further.
     *
     * @param kind of the frame
     * @param reference of its operation, or 0
     */
    boolean mayTake(int kind, long reference);

    /**
     * A message.
     *
     * @param message valid during this call
     * @param memory holds the eager bytes that follow it, during this call
     * @param offset of the first
     * @param length how many
     */
    void onMessage(Message message, MemorySegment memory, long offset, int length)
            throws IOException;

    /** A frame of three words. */
    void onNote(int kind, long reference, long claim, long value) throws IOException;

    /**
     * A piece of payload begins.
     *
     * @return the memory for it, or {@link #DISCARD}
     */
    @Nullable PayloadCursor onData(long reference, long claim, long position, int bytes)
            throws IOException;

    /** Some of it was read. */
    void onDataMoved(long bytes);

    /** All of it was read. */
    void onDataEnd(boolean isStored) throws IOException;

    /** The other side says goodbye. */
    void onGoodbye() throws IOException;
}
