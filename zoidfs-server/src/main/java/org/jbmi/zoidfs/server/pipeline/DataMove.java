package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.ErrorCode;
import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.spi.LinkedNode;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** One buffer of a read or write, and its present message. */
final class DataMove extends LinkedNode {
    final DataCall owner;

    /** The whole buffer. */
    final MemorySegment memory;

    /** The part that the present message takes. */
    MemorySegment message;

    /** Which message, counted from 0. */
    long index;

    /** Whether the message waits for its turn: to be sent, or to be written. */
    boolean ready;

    /** Whether it has a message. */
    boolean loaded;

    /** Whether another stage or a worker has it, or will get it. */
    boolean underWay;

    /** How its message ended, and with how many bytes; valid while it is in a {@link Line}. */
    ErrorCode outcome = ErrorCode.SUCCESS;

    long sizeBytes;

    /**
     * Buffers whose messages have ended, the first one first. A buffer is in one line at a time. To
     * add it takes no memory: else its message would be lost. Not thread-safe.
     */
    static final class Line {
        private final IntrusiveQueue<DataMove> moves = new IntrusiveQueue<>();

        void add(DataMove move, ErrorCode outcome, long sizeBytes) {
            move.outcome = outcome;
            move.sizeBytes = sizeBytes;
            moves.addLast(move);
        }

        /** Takes the first one, or null. */
        @Nullable DataMove poll() {
            return moves.poll();
        }
    }

    /** Makes a message of zeros, for a read that failed. */
    static final class Zeroing extends DiskTask {
        private final DataMove move;
        private final Consumer<DataMove> whenOver;

        /**
         * Makes the task.
         *
         * @param whenOver called in the ordering stage when it is over
         */
        Zeroing(DataMove move, Consumer<DataMove> whenOver) {
            this.move = move;
            this.whenOver = whenOver;
        }

        @Override
        void run(SystemCalls calls) {
            move.message.fill((byte) 0);
        }

        @Override
        void done() {
            whenOver.accept(move);
        }
    }

    DataMove(DataCall owner, MemorySegment memory) {
        this.owner = owner;
        this.memory = memory;
        this.message = memory;
    }

    /** Takes a message. If there is no memory for the view of it, this has no message. */
    void carry(long newIndex, long sizeBytes) {
        loaded = false;
        message = memory.asSlice(0, sizeBytes);
        index = newIndex;
        ready = false;
        loaded = true;
    }
}
