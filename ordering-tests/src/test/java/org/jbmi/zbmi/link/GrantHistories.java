package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.host.port.SegmentPayload;
import org.jbmi.zbmi.link.WeakMemory.Lack;
import org.jbmi.zbmi.protocol.GrantWindow;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/** A grant is claimed once, in its order, by whichever thread of the client, or taken back. */
public final class GrantHistories {
    private static final int CLIENT = 1;
    private static final int WINDOW = 0;

    private GrantHistories() {}

    /** As it is, in arrays. */
    public static class Sound {
        private final SharedMemory memory;
        private final SegmentPayload engine;
        private int generation;

        /** For Lincheck. */
        public Sound() {
            this(new ArrayMemory(Small.BYTES));
        }

        Sound(SharedMemory memory) {
            this.memory = memory;
            engine = new SegmentPayload(Small.view(memory, Small.NOBODY));
            engine.openWindow(CLIENT, WINDOW, GrantWindow.open(++generation, 0));
        }

        /** A thread of the client claims a grant; it is told of it by a message. */
        @Operation
        public boolean claim(
                @Param(gen = IntGen.class, conf = "1:2") int ofGeneration,
                @Param(gen = IntGen.class, conf = "0:2") int grant) {
            long word = GrantWindow.open(ofGeneration, grant);
            return ShmClientLink.claim(memory, Small.AREA, WINDOW, word);
        }

        /** The engine takes back what is not claimed; how many are. */
        @Operation(nonParallelGroup = "engine")
        public int close() {
            while (true) {
                long word = engine.windowWord(CLIENT, WINDOW);
                if (GrantWindow.isClosed(word)) {
                    return -1;
                }
                if (engine.swapWindow(CLIENT, WINDOW, word, GrantWindow.closed(word))) {
                    return GrantWindow.claimedCount(word);
                }
            }
        }

        /** The engine begins anew. */
        @Operation(nonParallelGroup = "engine")
        public boolean open() {
            if (!GrantWindow.isClosed(engine.windowWord(CLIENT, WINDOW))) {
                return false;
            }
            engine.openWindow(CLIENT, WINDOW, GrantWindow.open(++generation, 0));
            return true;
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
        private int generation = 1;
        private int claimed;
        private boolean isClosed;

        /** Only the next one. */
        public boolean claim(int ofGeneration, int grant) {
            if (isClosed || ofGeneration != generation || grant != claimed) {
                return false;
            }
            claimed++;
            return true;
        }

        /** Ends it. */
        public int close() {
            if (isClosed) {
                return -1;
            }
            isClosed = true;
            return claimed;
        }

        /** The next generation. */
        public boolean open() {
            if (!isClosed) {
                return false;
            }
            isClosed = false;
            generation++;
            claimed = 0;
            return true;
        }
    }
}
