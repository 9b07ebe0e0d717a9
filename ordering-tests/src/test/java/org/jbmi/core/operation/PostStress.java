package org.jbmi.core.operation;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.spi.SpinLock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * A context closes while an operation is posted: who closes finds it with its method, or who posts
 * sees that the context is closed. The id is stored by release, so both rest on the lock of the
 * context and on that of the method.
 *
 * <p>Table and stock are those of the library; the steps of post and close are copied into this
 * test.
 */
public final class PostStress {
    private PostStress() {}

    private static final class Ends {
        private final OperationTable table = new OperationTable(64);
        private final OperationStock stock =
                new OperationStock(table, new DeadlineQueue(), new SpinLock());
        private final SpinLock methodLock = new SpinLock();
        private final CoreOperation operation = stock.fetch();
        private boolean isWithMethod;
        private volatile boolean isClosed;

        void post(ZZ_Result r) {
            stock.lock.lock();
            operation.begin(table.slotBits());
            stock.lock.unlock();
            methodLock.lock();
            isWithMethod = true;
            methodLock.unlock();
            r.r1 = isClosed;
        }

        boolean look() {
            boolean isFound = false;
            int count = table.countToVisit();
            for (int slot = 0; slot < count; slot++) {
                isFound |= table.at(slot).id() != 0 && cancel();
            }
            return isFound;
        }

        private boolean cancel() {
            methodLock.lock();
            boolean isFound = isWithMethod;
            methodLock.unlock();
            return isFound;
        }

        void close(ZZ_Result r) {
            isClosed = true;
            r.r2 = look();
        }

        void closeTooLate(ZZ_Result r) {
            r.r2 = look();
            isClosed = true;
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "an operation that nobody ends")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody noticed")
    @State
    public static class Sound {
        private final Ends ends = new Ends();

        @Actor
        public void post(ZZ_Result r) {
            ends.post(r);
        }

        @Actor
        public void close(ZZ_Result r) {
            ends.close(r);
        }
    }

    /** What must fail: who closes looks first and says so then. */
    @JCStressTest
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "an operation that nobody ends")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody noticed")
    @State
    public static class Weak {
        private final Ends ends = new Ends();

        @Actor
        public void post(ZZ_Result r) {
            ends.post(r);
        }

        @Actor
        public void close(ZZ_Result r) {
            ends.closeTooLate(r);
        }
    }
}
