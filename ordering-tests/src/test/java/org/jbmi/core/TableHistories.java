package org.jbmi.core;

import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Operations are lent once at a time, the one that is free for longest first, with a new id. */
public final class TableHistories {
    private static final int OPERATIONS = 2;
    private static final int THREADS = 8;

    private TableHistories() {}

    private static <T> List<ArrayDeque<T>> forEachThread() {
        List<ArrayDeque<T>> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            all.add(new ArrayDeque<>());
        }
        return all;
    }

    /** As it is. */
    public static class Sound {
        final OperationTable table = new OperationTable(OPERATIONS);
        private final DeadlineQueue deadlines = new DeadlineQueue();
        private final List<ArrayDeque<CoreOperation>> held = forEachThread();

        /** For Lincheck. */
        public Sound() {
            // All are made here: Lincheck may overlook what is done to those made in an operation.
            CoreOperation first = table.take();
            CoreOperation second = table.take();
            table.free(first, deadlines);
            table.free(second, deadlines);
        }

        CoreOperation obtain() {
            return table.take();
        }

        void giveBack(CoreOperation operation) {
            table.free(operation, deadlines);
        }

        /** A thread begins an operation; its slot and generation. */
        @Operation
        public String take(@Param(gen = ThreadIdGen.class) int thread) {
            CoreOperation operation = obtain();
            if (operation == null) {
                return "none";
            }
            held.get(thread).add(operation);
            return name(operation.begin(table.slotBits()));
        }

        /** A thread ends its oldest operation. */
        @Operation
        public String free(@Param(gen = ThreadIdGen.class) int thread) {
            CoreOperation operation = held.get(thread).poll();
            if (operation == null) {
                return "nothing";
            }
            long id = operation.id();
            boolean isKnown = table.find(id) == operation;
            giveBack(operation);
            return isKnown && table.find(id) == null ? name(id) : "lost";
        }

        private String name(long id) {
            int bits = table.slotBits();
            long slot = id & ((1L << bits) - 1);
            return slot + "#" + ((id & ~(1L << 62)) >> bits);
        }
    }

    /** What must be found: the free ones in a list that two may change at once. */
    public static class Weak extends Sound {
        private final CoreOperation[] free = new CoreOperation[OPERATIONS];
        private volatile int taken;
        private volatile int given = OPERATIONS;

        /** For Lincheck. */
        public Weak() {
            for (int i = 0; i < OPERATIONS; i++) {
                free[i] = table.take();
            }
        }

        @Override
        CoreOperation obtain() {
            int at = taken;
            if (at == given) {
                return null;
            }
            taken = at + 1;
            return free[at % OPERATIONS];
        }

        @Override
        void giveBack(CoreOperation operation) {
            operation.endIdentity();
            int at = given;
            free[at % OPERATIONS] = operation;
            given = at + 1;
        }
    }

    /** What it is to those who use it. */
    public static class Spec {
        private final ArrayDeque<Integer> free = new ArrayDeque<>();
        private final int[] generations = new int[OPERATIONS];
        private final List<ArrayDeque<Integer>> held = forEachThread();

        /** For Lincheck. */
        public Spec() {
            for (int slot = 0; slot < OPERATIONS; slot++) {
                free.add(slot);
            }
        }

        /** Lends the first. */
        public String take(int thread) {
            Integer slot = free.poll();
            if (slot == null) {
                return "none";
            }
            held.get(thread).add(slot);
            return slot + "#" + ++generations[slot];
        }

        /** Appends. */
        public String free(int thread) {
            Integer slot = held.get(thread).poll();
            if (slot == null) {
                return "nothing";
            }
            free.add(slot);
            return slot + "#" + generations[slot];
        }
    }
}
