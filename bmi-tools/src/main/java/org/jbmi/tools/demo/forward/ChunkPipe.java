package org.jbmi.tools.demo.forward;

import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Moves the chunks of one file between two peers, one chunk after the other, with as many under way
 * as it has buffers. It owns no thread: {@link #pump} posts what can be posted, and outcomes come
 * in through the {@link PostOutcome} that each post carries as user data. Not thread-safe.
 *
 * <p>The buffers form a ring: chunks are posted at its tail and finished at its head, so that the
 * other end sees them in the order of the file whatever order they complete in.
 */
final class ChunkPipe {
    /** Which way the chunks go. */
    enum Direction {
        /** To the peer. */
        SENDING,
        /** From the peer. */
        RECEIVING
    }

    /** One buffer of the ring; the user data of its posts. */
    private final class Slot implements PostOutcome {
        private final MemorySegment buffer;
        private long offset;
        private int length;
        private long id;
        private boolean done;

        private Slot(MemorySegment buffer) {
            this.buffer = buffer;
        }

        @Override
        public void completed(int error, long sizeBytes) {
            pending--;
            settle(this, error, sizeBytes);
            afterOutcome.run();
        }

        private MemorySegment chunk() {
            return length == buffer.byteSize() ? buffer : buffer.asSlice(0, length);
        }
    }

    private final CompletionContext context;
    private final PeerAddress peer;
    private final int tag;
    private final Direction direction;
    private final long sizeBytes;
    private final int chunkBytes;
    private final ChunkEnd end;
    private final Runnable afterOutcome;
    private final Slot[] ring;
    private int head;
    private int used;
    private int pending;
    private long nextOffset;
    private long finishedBytes;
    private int failure;
    private @Nullable IOException fileFailure;

    ChunkPipe(
            CompletionContext context,
            PeerAddress peer,
            int tag,
            Direction direction,
            TransferRequest request,
            ChunkEnd end,
            MemorySegment[] buffers,
            Runnable afterOutcome) {
        this.context = context;
        this.peer = peer;
        this.tag = tag;
        this.direction = direction;
        this.sizeBytes = request.sizeBytes();
        this.chunkBytes = request.chunkBytes();
        this.end = end;
        this.afterOutcome = afterOutcome;
        ring = new Slot[buffers.length];
        for (int i = 0; i < ring.length; i++) {
            ring[i] = new Slot(buffers[i]);
        }
    }

    /**
     * Finishes the chunks that are done and posts as many as there are free buffers.
     *
     * @return true if there is more to do at once, because chunks completed in their posts
     */
    boolean pump() {
        finishDone();
        while (failure == 0 && used < ring.length && nextOffset < sizeBytes) {
            postNext();
        }
        return failure == 0 && used > 0 && ring[head].done;
    }

    /** Withdraws what is under way, after a failure; the outcomes still come. */
    void cancel() {
        for (int i = 0; i < used; i++) {
            Slot slot = ring[(head + i) % ring.length];
            if (!slot.done) {
                context.cancel(slot.id);
            }
        }
    }

    /**
     * Makes the pipe fail from outside, for example because its peer is gone.
     *
     * @param code a negative code; the first one counts
     */
    void fail(int code) {
        failure = failure == 0 ? code : failure;
    }

    /**
     * Whether nothing of it is left to do: every chunk moved, or it failed and nothing is under
     * way.
     *
     * @return true if no buffer is in use
     */
    boolean isIdle() {
        return pending == 0 && (failure != 0 || (used == 0 && nextOffset == sizeBytes));
    }

    /**
     * Why it stopped.
     *
     * @return 0 or the first negative code of a post
     */
    int failure() {
        return failure;
    }

    /**
     * What went wrong with the file. Chunks go on nevertheless, so that both sides stay in step.
     *
     * @return the first failure, or null
     */
    @Nullable IOException fileFailure() {
        return fileFailure;
    }

    /**
     * How far it is.
     *
     * @return bytes of the file that are finished, in order from the first
     */
    long finishedBytes() {
        return finishedBytes;
    }

    private void postNext() {
        Slot slot = ring[(head + used) % ring.length];
        slot.offset = nextOffset;
        slot.length = (int) Math.min(chunkBytes, sizeBytes - nextOffset);
        slot.done = false;
        nextOffset += slot.length;
        used++;
        MemorySegment chunk = slot.chunk();
        if (direction == Direction.SENDING) {
            moveAtEnd(chunk, slot.offset);
        }
        long result =
                direction == Direction.SENDING
                        ? context.postSend(peer, chunk, tag, slot)
                        : context.postReceive(peer, chunk, tag, slot);
        if (PostResult.isPending(result)) {
            slot.id = result;
            pending++;
        } else if (PostResult.isCompleted(result)) {
            settle(slot, 0, result);
        } else {
            settle(slot, (int) result, 0);
        }
    }

    private void settle(Slot slot, int error, long bytes) {
        slot.done = true;
        if (error != 0) {
            fail(error);
        } else if (bytes != slot.length) {
            fail(ErrorCode.EBADMSG.negativeValue());
        }
    }

    private void finishDone() {
        while (used > 0 && ring[head].done && failure == 0) {
            Slot slot = ring[head];
            if (direction == Direction.RECEIVING) {
                moveAtEnd(slot.chunk(), slot.offset);
            }
            finishedBytes += slot.length;
            slot.done = false;
            head = (head + 1) % ring.length;
            used--;
        }
    }

    private void moveAtEnd(MemorySegment chunk, long offset) {
        if (fileFailure != null) {
            return;
        }
        try {
            end.move(chunk, offset);
        } catch (IOException e) {
            fileFailure = e;
        }
    }
}
