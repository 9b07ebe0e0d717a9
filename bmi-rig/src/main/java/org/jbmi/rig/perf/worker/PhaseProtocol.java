package org.jbmi.rig.perf.worker;

import org.jbmi.rig.perf.phase.Meter;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.Phase.Options;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The messages by which client and server begin and end a phase. The client sends a request, which
 * is mostly unexpected, and the server answers with an expected message of the same tag. A flow is
 * one client thread.
 *
 * <pre>
 *   tag   bits 31..28  kind of message    27..16  the flow    15..0  index of the message under way
 * </pre>
 */
final class PhaseProtocol {
    /** Words of a request or an answer. */
    static final int WORDS = 12;

    /** Bytes of a request or an answer. */
    static final int BYTES = WORDS * Long.BYTES;

    /** A request that begins a phase; its answer comes when the server is ready. */
    static final int OPEN = 3;

    /**
     * A request that ends a phase; its answer comes when the server has received everything. The
     * request is an expected message if those of the phase are.
     */
    static final int END = 4;

    /** A request for what the server has spent until now; its answer comes at once. */
    static final int READ = 5;

    /** The most flows of one client process. */
    static final int MAX_FLOWS = 1 << 12;

    /** The most messages under way in one flow. */
    static final int MAX_OUTSTANDING = 1 << 16;

    private static final int DATA = 0;
    private static final int PENDING = 1;
    private static final int CONTROL = 2;
    private static final int KIND_SHIFT = 28;
    private static final int FLOW_SHIFT = 16;
    private static final int FLOW_MASK = MAX_FLOWS - 1;

    /** Another one for each version of the protocol. */
    private static final long MAGIC = 0x4a424d4950455232L;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private PhaseProtocol() {}

    static int dataTag(int flow, int slot) {
        return DATA << KIND_SHIFT | flow << FLOW_SHIFT | slot;
    }

    static int controlTag(int flow) {
        return CONTROL << KIND_SHIFT | flow << FLOW_SHIFT;
    }

    /** The tag of a receive that stays pending. */
    static int pendingTag(int flow, int index) {
        return PENDING << KIND_SHIFT | flow << FLOW_SHIFT | (index & (MAX_OUTSTANDING - 1));
    }

    static boolean isControl(int tag) {
        return tag >>> KIND_SHIFT == CONTROL;
    }

    static int flowOf(int tag) {
        return tag >>> FLOW_SHIFT & FLOW_MASK;
    }

    /** Writes a request. */
    @SuppressWarnings("EnumOrdinal") // both sides are of one version
    static void ask(MemorySegment request, int what, Phase phase, long total) {
        request.set(LONG, 0, MAGIC);
        put(request, 1, what);
        put(request, 2, phase.pattern().ordinal());
        put(request, 3, phase.bytes());
        put(request, 4, phase.outstanding());
        put(request, 5, phase.pending());
        put(request, 6, phase.options().bits());
        put(request, 7, total);
    }

    /** Whether memory holds a request. */
    static boolean isRequest(MemorySegment memory, long offset, long size) {
        return size == BYTES && memory.get(LONG, offset) == MAGIC;
    }

    static int what(MemorySegment memory, long offset) {
        return (int) word(memory, offset, 1);
    }

    /** Reads the phase of a request; refuses values that no client of this version sends. */
    @SuppressWarnings("EnumOrdinal") // both sides are of one version
    static Phase phase(MemorySegment memory, long offset) {
        Phase phase =
                new Phase(
                        Pattern.values()[
                                (int)
                                        limited(
                                                word(memory, offset, 2),
                                                0,
                                                Pattern.values().length - 1L)],
                        (int) limited(word(memory, offset, 3), 1, Integer.MAX_VALUE),
                        (int) limited(word(memory, offset, 4), 1, MAX_OUTSTANDING),
                        (int) limited(word(memory, offset, 5), 0, MAX_OUTSTANDING * 4L),
                        0,
                        0,
                        Options.of(word(memory, offset, 6)));
        return phase;
    }

    /** How many messages were sent. */
    static long total(MemorySegment memory, long offset) {
        return word(memory, offset, 7);
    }

    /** Writes an answer. */
    static void answer(MemorySegment answer, Meter.Reading reading, long wrong) {
        answer.set(LONG, 0, MAGIC);
        put(answer, 1, reading.allocatedBytes());
        put(answer, 2, reading.copies());
        put(answer, 3, reading.cpuNs());
        put(answer, 4, reading.threadNs());
        put(answer, 5, reading.compilerMs());
        put(answer, 6, wrong);
        put(answer, 7, 0);
    }

    /** Writes that the server cannot run a phase. */
    static void refuse(MemorySegment answer, int error) {
        answer.fill((byte) 0);
        answer.set(LONG, 0, MAGIC);
        put(answer, 7, error);
    }

    /** The reason why the server cannot run a phase; 0 if it can. */
    static int refusal(MemorySegment answer) {
        return (int) word(answer, 0, 7);
    }

    /** Reads an answer. */
    static Meter.Reading reading(MemorySegment answer) {
        return new Meter.Reading(
                word(answer, 0, 1),
                word(answer, 0, 2),
                word(answer, 0, 3),
                word(answer, 0, 4),
                word(answer, 0, 5));
    }

    /** How many messages had wrong contents. */
    static long wrong(MemorySegment answer) {
        return word(answer, 0, 6);
    }

    private static long limited(long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    "A client's request has %d, which is not from %d to %d."
                            .formatted(value, least, most));
        }
        return value;
    }

    private static void put(MemorySegment memory, int word, long value) {
        memory.set(LONG, (long) word * Long.BYTES, value);
    }

    private static long word(MemorySegment memory, long offset, int word) {
        return memory.get(LONG, offset + (long) word * Long.BYTES);
    }
}
