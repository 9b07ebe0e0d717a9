package org.jbmi.core.operation;

import org.jbmi.ErrorCode;
import org.jbmi.core.events.CoreEvents;
import org.jbmi.core.waiting.Progress;
import org.jbmi.core.waiting.Waiter;
import org.jbmi.spi.WaitPolicy;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

import java.util.ArrayDeque;

/**
 * Each completion is reported once: to who tests its id, is blocked on it, or takes what is there.
 */
public final class CompletionHistories {
    private static final int OPERATIONS = 2;

    private CompletionHistories() {}

    /** As it is. */
    public static class Sound {
        final OperationTable table = new OperationTable(OPERATIONS);
        final CompletionQueue queue;
        private final long[] ids = new long[OPERATIONS];
        private final CoreOperation[] operations = new CoreOperation[OPERATIONS];
        private final boolean[] isOver = new boolean[OPERATIONS];
        private final Waiter waiter = new Waiter();
        private int claimed = -1;

        /** For Lincheck. */
        public Sound() {
            DeadlineQueue deadlines = new DeadlineQueue();
            Progress progress =
                    new Progress(
                            new OperationRounds(deadlines, new OperationLooks(table)),
                            WaitPolicy.of(WaitPolicy.Mode.BLOCK, 0));
            queue = new CompletionQueue(table, deadlines, progress, new CoreEvents());
            for (int i = 0; i < OPERATIONS; i++) {
                operations[i] = take(queue.stock());
                ids[i] = operations[i].begin(table.slotBits());
            }
        }

        private static CoreOperation take(OperationStock stock) {
            CoreOperation operation = stock.take();
            return operation == null ? stock.fetch() : operation;
        }

        /** The method says that an operation is over. */
        @Operation(nonParallelGroup = "method")
        public boolean complete(@Param(gen = IntGen.class, conf = "0:1") int which) {
            if (isOver[which]) {
                return false;
            }
            isOver[which] = true;
            queue.complete(operations[which], 0, bytes(which));
            return true;
        }

        /** The lead finds in a round that both are over, if neither was. */
        @Operation(nonParallelGroup = "method")
        public boolean round() {
            if (isOver[0] || isOver[1]) {
                return false;
            }
            for (int i = 0; i < OPERATIONS; i++) {
                isOver[i] = true;
                queue.completeInRound(operations[i], 0, bytes(i));
            }
            queue.endRound();
            return true;
        }

        /** Any thread tests an id. */
        @Operation
        public String test(@Param(gen = IntGen.class, conf = "0:1") int which) {
            CompletionSlots out = new CompletionSlots(1);
            CoreOperation operation = table.find(ids[which]);
            int taken = operation == null ? -1 : take(operation, ids[which], out);
            return text(taken, out);
        }

        int take(CoreOperation operation, long id, CompletionSlots out) {
            return queue.take(operation, id, 0, out);
        }

        /** Any thread takes what is there. */
        @Operation
        public String drain() {
            CompletionSlots out = new CompletionSlots(OPERATIONS);
            queue.drain(out);
            return reported(out);
        }

        /** A thread begins to wait for an operation. */
        @Operation(nonParallelGroup = "blocked")
        public String claim(@Param(gen = IntGen.class, conf = "0:1") int which) {
            if (claimed >= 0) {
                return "busy";
            }
            CompletionSlots out = new CompletionSlots(1);
            CoreOperation operation = table.find(ids[which]);
            int taken = operation == null ? -1 : queue.claim(operation, ids[which], 0, waiter, out);
            claimed = taken == 0 ? which : -1;
            return text(taken, out);
        }

        /** It waits no longer, or has been woken. */
        @Operation(nonParallelGroup = "blocked")
        public String unclaim() {
            if (claimed < 0) {
                return "idle";
            }
            CompletionSlots out = new CompletionSlots(1);
            int taken = queue.unclaim(operations[claimed], ids[claimed], 0, waiter, out);
            claimed = -1;
            return text(taken, out);
        }

        private String text(int taken, CompletionSlots out) {
            return switch (taken) {
                case 0 -> "pending";
                case 1 -> reported(out);
                default -> "unknown";
            };
        }

        private String reported(CompletionSlots out) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < out.count(); i++) {
                int which = out.id(i) == ids[0] ? 0 : 1;
                text.append(which).append('=').append(out.sizeBytes(i)).append(' ');
            }
            return text.toString();
        }
    }

    static long bytes(int which) {
        return 10 + which;
    }

    /** What must be found: a test that looks, and then takes. */
    public static class Weak extends Sound {
        /** For Lincheck. */
        public Weak() {
            super();
        }

        @Override
        int take(CoreOperation operation, long id, CompletionSlots out) {
            int state = operation.state;
            if (state == CoreOperation.DONE) {
                queue.take(operation, id, 0, new CompletionSlots(1));
                out.add(id, ErrorCode.SUCCESS, operation.doneBytes, null, 0);
                return 1;
            }
            return queue.take(operation, id, 0, out);
        }
    }

    /** What it is to those who use it. */
    public static class Spec {
        private final boolean[] isOver = new boolean[OPERATIONS];
        private final boolean[] isReported = new boolean[OPERATIONS];
        private final ArrayDeque<Integer> done = new ArrayDeque<>();
        private int claimed = -1;

        /** Once for each. */
        public boolean complete(int which) {
            if (isOver[which]) {
                return false;
            }
            isOver[which] = true;
            if (claimed != which) {
                done.add(which);
            }
            return true;
        }

        /** Both at one moment. */
        public boolean round() {
            return !isOver[0] && !isOver[1] && complete(0) && complete(1);
        }

        /** Reports it, if it is over and was not. */
        public String test(int which) {
            if (isReported[which]) {
                return "unknown";
            }
            return isOver[which] ? report(which) : "pending";
        }

        /** Reports all but what is claimed. */
        public String drain() {
            StringBuilder text = new StringBuilder();
            while (!done.isEmpty()) {
                text.append(report(done.peek()));
            }
            return text.toString();
        }

        /** As a test. */
        public String claim(int which) {
            if (claimed >= 0) {
                return "busy";
            }
            String result = test(which);
            claimed = result.equals("pending") ? which : -1;
            return result;
        }

        /** As a test. */
        public String unclaim() {
            if (claimed < 0) {
                return "idle";
            }
            int which = claimed;
            claimed = -1;
            return test(which);
        }

        private String report(int which) {
            isReported[which] = true;
            done.remove(which);
            return which + "=" + bytes(which) + " ";
        }
    }
}
