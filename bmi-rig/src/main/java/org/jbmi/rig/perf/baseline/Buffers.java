package org.jbmi.rig.perf.baseline;

import org.jbmi.rig.perf.phase.Phase;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The buffers of one side of a baseline, used in turn: as many as the phase has messages under way.
 * A program that keeps eight messages under way has eight buffers, which need eight times the room
 * of one in the processor's caches. One thread uses it.
 */
final class Buffers {
    private static final int LINE_BYTES = 64;
    private static final long MAX_BYTES = 64L << 20;
    private static final int MAX_COUNT = 256;

    private final Buffer[] buffers;
    private int next;

    /**
     * Allocates the buffers.
     *
     * @param arena owns their memory
     * @param phase says how many, and how large
     */
    Buffers(Arena arena, Phase phase) {
        long room = Math.clamp(MAX_BYTES / phase.bytes(), 1, MAX_COUNT);
        buffers = new Buffer[(int) Math.clamp(phase.outstanding(), 1, room)];
        for (int i = 0; i < buffers.length; i++) {
            MemorySegment memory = arena.allocate(phase.bytes(), LINE_BYTES);
            buffers[i] = new Buffer(memory, memory.asByteBuffer());
        }
    }

    /** How many there are. */
    int count() {
        return buffers.length;
    }

    /** The buffer of a message, by the number of the message. */
    Buffer at(long message) {
        return buffers[(int) (message % buffers.length)];
    }

    /** The buffer that was used least recently. */
    Buffer next() {
        Buffer buffer = buffers[next];
        next = next + 1 == buffers.length ? 0 : next + 1;
        return buffer;
    }
}
