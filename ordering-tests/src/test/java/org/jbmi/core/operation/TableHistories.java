package org.jbmi.core.operation;

import org.jbmi.spi.SpinLock;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Operations are lent once at a time, with a new id each time, and there is none only while all are
 * lent: also what another context has at hand is found.
 */
public final class TableHistories {
    private static final int OPERATIONS = 2;
    private static final int THREADS = 4;

    private TableHistories() {}

    private static <T> List<ArrayDeque<T>> forEachThread() {
        List<ArrayDeque<T>> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            all.add(new ArrayDeque<>());
        }
        return all;
    }

    /** As it is: each thread posts in a context of its own. */
    public static class Sound {
        final OperationTable table = new OperationTable(OPERATIONS);
        final DeadlineQueue deadlines = new DeadlineQueue();
        final List<OperationStock> stocks = new ArrayList<>();
        private final List<ArrayDeque<CoreOperation>> held = forEachThread();
        private final boolean[] lent = new boolean[OPERATIONS];
        private final Set<Long> ids = new HashSet<>();

        /** For Lincheck. */
        public Sound() {
            for (int i = 0; i < THREADS; i++) {
                stocks.add(new OperationStock(table, deadlines, new SpinLock()));
            }
            // All are made here: Lincheck may overlook what is done to those made in an operation.
            OperationStock stock = stocks.getFirst();
            CoreOperation first = stock.fetch();
            CoreOperation second = stock.fetch();
            stock.free(first);
            stock.free(second);
        }

        CoreOperation obtain(OperationStock stock) {
            stock.lock.lock();
            CoreOperation operation = stock.take();
            stock.lock.unlock();
            return operation == null ? stock.fetch() : operation;
        }

        void giveBack(OperationStock stock, CoreOperation operation) {
            stock.lock.lock();
            stock.free(operation);
            stock.lock.unlock();
        }

        /** A thread begins an operation. */
        @Operation
        public String take(@Param(gen = ThreadIdGen.class) int thread) {
            CoreOperation operation = obtain(stocks.get(thread));
            if (operation == null) {
                return "none";
            }
            held.get(thread).add(operation);
            long id = operation.begin(table.slotBits());
            boolean isTwice = lent[operation.slot];
            lent[operation.slot] = true;
            boolean isNew;
            synchronized (ids) {
                isNew = ids.add(id);
            }
            return isTwice ? "lent twice" : isNew ? "taken" : "an old id";
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
            lent[operation.slot] = false;
            giveBack(stocks.get(thread), operation);
            return isKnown && table.find(id) == null ? "freed" : "lost";
        }
    }

    /** What must be found: one list for all, without a lock. */
    public static class Weak extends Sound {
        /** For Lincheck. */
        public Weak() {
            super();
        }

        @Override
        CoreOperation obtain(OperationStock stock) {
            return stocks.getFirst().takeAny();
        }

        @Override
        void giveBack(OperationStock stock, CoreOperation operation) {
            stocks.getFirst().free(operation);
        }
    }

    /** What it is to those who use it. */
    public static class Spec {
        private final int[] held = new int[THREADS];
        private int lent;

        /** One of those that are free. */
        public String take(int thread) {
            if (lent == OPERATIONS) {
                return "none";
            }
            lent++;
            held[thread]++;
            return "taken";
        }

        /** Whichever it was. */
        public String free(int thread) {
            if (held[thread] == 0) {
                return "nothing";
            }
            lent--;
            held[thread]--;
            return "freed";
        }
    }
}
