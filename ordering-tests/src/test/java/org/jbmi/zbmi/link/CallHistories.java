package org.jbmi.zbmi.link;

import org.jbmi.zbmi.protocol.Message;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/** A call is answered once, or given up, and an answer that comes too late is for nobody. */
public final class CallHistories {
    private static final int SLOT_BITS = 12;

    private CallHistories() {}

    /** As it is. */
    public static class Sound {
        private final CallTable table = new CallTable();
        private final Message message = new Message();
        private CallTable.Call current;

        // What the message says that the answerer gets.
        private volatile long told;

        /** For Lincheck. */
        public Sound() {
            // They are made here: Lincheck may overlook what is done to those made in an operation.
            table.release(begin());
        }

        /** The caller begins; its correlation. */
        @Operation(nonParallelGroup = "caller")
        public long call() {
            if (current != null) {
                return 0;
            }
            current = begin();
            long correlation = current.correlation();
            told = correlation;
            return correlation;
        }

        /** The caller looks for the answer, and ends the call if it is there. */
        @Operation(nonParallelGroup = "caller")
        public String result() {
            if (current == null) {
                return "no call";
            }
            return current.isAnswered() ? end() : "waiting";
        }

        /** The caller waits no longer. */
        @Operation(nonParallelGroup = "caller")
        public String giveUp() {
            if (current == null) {
                return "no call";
            }
            if (isAnsweredAllTheSame(current)) {
                return end();
            }
            table.release(current);
            current = null;
            return "given up";
        }

        boolean isAnsweredAllTheSame(CallTable.Call call) {
            return call.giveUp();
        }

        private CallTable.Call begin() {
            return table.take(() -> 0, 0, () -> false);
        }

        private String end() {
            String result = "got " + current.reply().word(0);
            table.release(current);
            current = null;
            return result;
        }

        /** Somebody answers the last call, or one before it; false if nobody waits for that. */
        @Operation(nonParallelGroup = "answerer")
        public boolean answer(@Param(gen = IntGen.class, conf = "0:1") int before) {
            long correlation = told - ((long) before << SLOT_BITS);
            CallTable.Call call = table.claim(correlation);
            if (call == null) {
                return false;
            }
            call.answer(message.start(1).put(correlation >> SLOT_BITS));
            return true;
        }

        /** Somebody finds the last call and sees that what there is was not its answer. */
        @Operation(nonParallelGroup = "answerer")
        public void look() {
            CallTable.Call call = table.claim(told);
            if (call != null) {
                call.giveBack();
            }
        }
    }

    /** What must be found: a caller that looks before it gives up, and does not ask. */
    public static class Weak extends Sound {
        /** For Lincheck. */
        public Weak() {
            super();
        }

        @Override
        boolean isAnsweredAllTheSame(CallTable.Call call) {
            return call.isAnswered();
        }
    }

    /** What it is to those who use it. */
    public static class Spec {
        private int begun;
        private boolean isOpen;
        private boolean isAnswered;

        /** One at a time. */
        public long call() {
            if (isOpen) {
                return 0;
            }
            isOpen = true;
            isAnswered = false;
            return (long) (++begun + 1) << SLOT_BITS;
        }

        /** Ends an answered call. */
        public String result() {
            return isOpen && !isAnswered ? "waiting" : end();
        }

        /** Ends any call. */
        public String giveUp() {
            return end();
        }

        private String end() {
            if (!isOpen) {
                return "no call";
            }
            isOpen = false;
            return isAnswered ? "got " + (begun + 1) : "given up";
        }

        /** Changes nothing. */
        public void look() {
            // Who waits goes on waiting.
        }

        /** Once. */
        public boolean answer(int before) {
            if (!isOpen || isAnswered || before != 0) {
                return false;
            }
            isAnswered = true;
            return true;
        }
    }
}
