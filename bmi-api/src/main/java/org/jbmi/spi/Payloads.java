package org.jbmi.spi;

import org.jbmi.observe.Counter;

import java.lang.foreign.MemorySegment;

/**
 * Copies the bytes of operations and counts the copies: one for each message, however many buffers
 * it has. Messages of 0 bytes are not counted. A method whose own lock guards its counter counts
 * the copies itself, which is cheaper. Sender and receiver may have different numbers of buffers.
 * Any thread may call.
 */
public final class Payloads {
    private final Counter copies;

    /**
     * Makes an object that counts.
     *
     * @param copies goes up by one for each message copied
     */
    public Payloads(Counter copies) {
        this.copies = copies;
    }

    /**
     * Copies a sender's message into a receiver's buffers.
     *
     * @param from a send
     * @param to a receive with room for it
     */
    public void copy(Operation from, Operation to) {
        if (from.sizeBytes() == 0) {
            return;
        }
        copies.increment();
        copyUncounted(from, to);
    }

    /**
     * Copies a sender's message into a receiver's buffers, for a method that counts the copies in
     * its own counter.
     *
     * @param from a send
     * @param to a receive with room for it
     */
    public static void copyUncounted(Operation from, Operation to) {
        if (to.bufferCount() == 1) {
            gather(from, to.buffer(0), 0);
        } else {
            copyLists(from, to);
        }
    }

    /**
     * Copies a sender's message into one piece of memory, for a method that counts the copies in
     * its own counter.
     *
     * @param from a send
     * @param target where it goes
     * @param targetOffset where the message begins in {@code target}, in bytes
     */
    public static void copyInUncounted(Operation from, MemorySegment target, long targetOffset) {
        gather(from, target, targetOffset);
    }

    /**
     * Copies a sender's message into one piece of memory.
     *
     * @param from a send
     * @param target where it goes
     * @param targetOffset where the message begins in {@code target}, in bytes
     */
    public void copyIn(Operation from, MemorySegment target, long targetOffset) {
        if (from.sizeBytes() > 0) {
            copies.increment();
            gather(from, target, targetOffset);
        }
    }

    /**
     * Copies a message from one piece of memory into a receiver's buffers.
     *
     * @param source where it lies
     * @param sourceOffset where the message begins in {@code source}, in bytes
     * @param sizeBytes its length, at most the receive's
     * @param to a receive
     */
    public void copyOut(MemorySegment source, long sourceOffset, long sizeBytes, Operation to) {
        if (sizeBytes > 0) {
            copies.increment();
            scatter(source, sourceOffset, sizeBytes, to, 0);
        }
    }

    /**
     * Copies a part of a message into a receiver's buffers, not counted: for methods that get a
     * message in pieces and count it themselves.
     *
     * @param source where the part lies
     * @param sourceOffset where the part begins in {@code source}, in bytes
     * @param sizeBytes its length
     * @param to a receive
     * @param messageOffset where the part begins in the message, in bytes
     */
    public static void scatter(
            MemorySegment source,
            long sourceOffset,
            long sizeBytes,
            Operation to,
            long messageOffset) {
        long skip = messageOffset;
        long done = 0;
        for (int i = 0; i < to.bufferCount() && done < sizeBytes; i++) {
            MemorySegment piece = to.buffer(i);
            long room = piece.byteSize() - skip;
            if (room <= 0) {
                skip -= piece.byteSize();
                continue;
            }
            long length = Math.min(room, sizeBytes - done);
            MemorySegment.copy(source, sourceOffset + done, piece, skip, length);
            done += length;
            skip = 0;
        }
    }

    private static void gather(Operation from, MemorySegment target, long targetOffset) {
        long offset = targetOffset;
        for (int i = 0; i < from.bufferCount(); i++) {
            MemorySegment piece = from.buffer(i);
            long length = piece.byteSize();
            MemorySegment.copy(piece, 0, target, offset, length);
            offset += length;
        }
    }

    private static void copyLists(Operation from, Operation to) {
        int next = 0;
        long filled = 0; // of the receiver's next buffer
        for (int i = 0; i < from.bufferCount(); i++) {
            MemorySegment source = from.buffer(i);
            long done = 0;
            while (done < source.byteSize()) {
                MemorySegment target = to.buffer(next);
                long room = target.byteSize() - filled;
                long length = Math.min(room, source.byteSize() - done);
                MemorySegment.copy(source, done, target, filled, length);
                done += length;
                filled += length;
                if (length == room) {
                    next++;
                    filled = 0;
                }
            }
        }
    }
}
