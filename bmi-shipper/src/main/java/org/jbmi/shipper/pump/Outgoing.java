package org.jbmi.shipper.pump;

import org.jbmi.PeerAddress;
import org.jbmi.shipper.codec.Encoder;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A message that is encoded, sent, and reused: kept in an {@link OutgoingPool}. */
public final class Outgoing extends Posted {
    /** Called at the end of a message. */
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
    private @Nullable MemorySegment piece;
    private @Nullable MemorySegment shared;
    private @Nullable Sent listener;

    Outgoing(OutgoingPool pool, int limit) {
        this.pool = pool;
        this.out = new Encoder(limit);
    }

    /** The encoder for the message. */
    public Encoder out() {
        return out;
    }

    /** Sets the listener. */
    public void listener(@Nullable Sent sent) {
        listener = sent;
    }

    /**
     * The encoded message for a post. If there is no memory for it, the message is given back
     * before this throws, and no outcome comes.
     *
     * @param isShared whether to use memory from which the peer moves bytes itself, if there is
     *     any. Only if {@link PeerAddress#isPoolShared} of the peer is true
     */
    public MemorySegment toPost(PeerAddress peer, boolean isShared) {
        try {
            return isShared ? sharedMessage(peer) : message();
        } catch (RuntimeException | Error e) {
            listener = null;
            pool.give(this);
            throw e;
        }
    }

    // The same object for the same size.
    @SuppressWarnings("ReferenceEquality") // the encoder makes a new array when it grows
    private MemorySegment message() {
        if (array != out.array()) {
            whole = MemorySegment.ofArray(out.array());
            message = whole;
            array = out.array(); // not before: there may be no memory for the segment
        }
        if (message.byteSize() != out.size()) {
            message = whole.asSlice(0, out.size());
        }
        return message;
    }

    // A short message is copied to memory from which the peer moves bytes itself.
    private MemorySegment sharedMessage(PeerAddress peer) {
        int size = out.size();
        if (size > PoolPieces.PIECE_BYTES) {
            return message();
        }
        if (piece == null) {
            piece = pool.takePiece(peer);
        }
        MemorySegment own = piece;
        if (own == null) {
            return message();
        }
        try {
            MemorySegment.copy(out.array(), 0, own, ValueLayout.JAVA_BYTE, 0, size);
        } catch (IllegalStateException e) {
            return message(); // the instance is being closed, as the post will say
        }
        MemorySegment same = shared;
        if (same == null || same.byteSize() != size) {
            same = own.asSlice(0, size);
            shared = same;
        }
        return same;
    }

    /** Takes over its piece of shared memory. */
    @Nullable MemorySegment takePiece() {
        MemorySegment own = piece;
        piece = null;
        shared = null;
        return own;
    }

    /** The length of its array. */
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
