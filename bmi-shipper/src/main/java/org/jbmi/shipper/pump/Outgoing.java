package org.jbmi.shipper.pump;

import org.jbmi.shipper.codec.Encoder;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/** A message that is written, sent, and then written anew: kept in a {@link OutgoingPool}. */
public final class Outgoing extends Posted {
    /** Who wants to hear of the end of a message. */
    public interface Sent {
        /**
         * The message is over.
         *
         * @param code 0 or a negative error
         */
        void sent(int code);
    }

    private final OutgoingPool pool;
    private final Encoder out;
    private byte[] array = new byte[0];
    private MemorySegment whole = MemorySegment.ofArray(array);
    private MemorySegment message = whole;
    private @Nullable Sent listener;

    Outgoing(OutgoingPool pool, int limit) {
        this.pool = pool;
        this.out = new Encoder(limit);
    }

    /**
     * What the message is written with.
     *
     * @return an encoder
     */
    public Encoder out() {
        return out;
    }

    /**
     * Says who is to be told.
     *
     * @param sent the listener, or null for nobody
     */
    public void listener(@Nullable Sent sent) {
        listener = sent;
    }

    /**
     * What was written, as a segment that stays the same object as long as the size does.
     *
     * @return the message
     */
    @SuppressWarnings("ReferenceEquality") // the encoder makes a new array when it grows
    public MemorySegment message() {
        if (array != out.array()) {
            array = out.array();
            whole = MemorySegment.ofArray(array);
            message = whole;
        }
        if (message.byteSize() != out.size()) {
            message = whole.asSlice(0, out.size());
        }
        return message;
    }

    /** How large the array behind it is. */
    int capacity() {
        return out.array().length;
    }

    @Override
    protected void done(int code, long bytes) {
        Sent told = listener;
        listener = null;
        pool.give(this);
        if (told != null) {
            told.sent(code);
        }
    }
}
