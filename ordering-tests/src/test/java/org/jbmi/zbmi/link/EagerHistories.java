package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.host.port.SegmentPayload;
import org.jbmi.zbmi.link.WeakMemory.Lack;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicLongArray;

/** Eager bytes are taken by the engine, all of them and once, or withdrawn by their client. */
public final class EagerHistories {
    private static final int CLIENT = 1;
    private static final int SLOTS = Small.AREA.eagerSlots();
    private static final int PAYLOAD = 2 * Long.BYTES;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private EagerHistories() {}

    /** As it is, in arrays. */
    public static class Sound {
        private final SharedMemory memory;
        private final EagerSlots client;
        private final SegmentPayload engine;

        // What the two tell each other in messages.
        private final AtomicLongArray announced = new AtomicLongArray(SLOTS);
        private final AtomicLongArray completed = new AtomicLongArray(SLOTS);
        private final long[] held = new long[SLOTS];

        /** For Lincheck. */
        public Sound() {
            this(new ArrayMemory(Small.BYTES));
        }

        Sound(SharedMemory memory) {
            this.memory = memory;
            client = new EagerSlots(memory, Small.AREA);
            engine = new SegmentPayload(Small.view(memory, Small.NOBODY));
        }

        /** The client fills a slot and says so; which one. */
        @Operation(nonParallelGroup = "client")
        public int announce(@Param(gen = IntGen.class, conf = "1:9") int value) {
            int slot = client.take();
            if (slot == ClientRequests.NOT_EAGER) {
                return -1;
            }
            MemorySegment bytes = MemorySegment.ofArray(new long[] {value, ~(long) value});
            client.put(slot, 0, bytes, 0, PAYLOAD);
            held[slot] = client.announce(slot);
            announced.set(slot, held[slot]);
            return slot;
        }

        /** The client wants its slot back. */
        @Operation(nonParallelGroup = "client")
        public String end(@Param(gen = IntGen.class, conf = "0:1") int slot) {
            long sequence = held[slot];
            if (sequence == 0) {
                return "free";
            }
            held[slot] = 0;
            if (client.withdraw(slot, sequence)) {
                return "withdrawn";
            }
            while (completed.get(slot) != sequence) {
                Thread.onSpinWait(); // the engine is copying just now
            }
            client.release(slot);
            return "taken";
        }

        /** The engine wants the bytes that it was told of. */
        @Operation(nonParallelGroup = "engine")
        public String take(@Param(gen = IntGen.class, conf = "0:1") int slot) {
            long sequence = announced.get(slot);
            if (sequence == 0 || !engine.takeEager(CLIENT, slot, sequence)) {
                return "nothing";
            }
            long at = Small.AREA.towardPeerOffset();
            engine.copyEager(CLIENT, slot, PAYLOAD, at);
            long first = memory.slice(at, PAYLOAD).get(WORD, 0);
            long second = memory.slice(at, PAYLOAD).get(WORD, Long.BYTES);
            completed.set(slot, sequence);
            return first == ~second ? "got " + first : "half of it";
        }
    }

    /** As it is, in a segment. */
    public static class Real extends Sound {
        /** For Lincheck. */
        public Real() {
            super(WeakMemory.sound(Small.BYTES));
        }
    }

    /** What must be found: without an atomic swap. */
    public static class Weak extends Sound {
        /** For Lincheck. */
        public Weak() {
            super(WeakMemory.lacking(Lack.ATOMICITY, new ArrayMemory(Small.BYTES)));
        }
    }

    /** What it is to those who use it. */
    public static class Spec {
        private final Integer[] values = new Integer[SLOTS];
        private final boolean[] isTaken = new boolean[SLOTS];

        /** Into the first that is free. */
        public int announce(int value) {
            for (int slot = 0; slot < SLOTS; slot++) {
                if (values[slot] == null) {
                    values[slot] = value;
                    isTaken[slot] = false;
                    return slot;
                }
            }
            return -1;
        }

        /** Frees it. */
        public String end(int slot) {
            if (values[slot] == null) {
                return "free";
            }
            values[slot] = null;
            return isTaken[slot] ? "taken" : "withdrawn";
        }

        /** Once. */
        public String take(int slot) {
            if (values[slot] == null || isTaken[slot]) {
                return "nothing";
            }
            isTaken[slot] = true;
            return "got " + values[slot];
        }
    }
}
