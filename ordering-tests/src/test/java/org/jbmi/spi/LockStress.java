package org.jbmi.spi;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** One thread at a time is in the section, and sees all that was done there before. */
public final class LockStress {
    private LockStress() {}

    /** What both locks are to those who use them. */
    private interface Lock {
        void lock();

        void unlock();
    }

    private static Lock sound() {
        SpinLock lock = new SpinLock();
        return new Lock() {
            @Override
            public void lock() {
                lock.lock();
            }

            @Override
            public void unlock() {
                lock.unlock();
            }
        };
    }

    /** The same, but it looks first and takes then. */
    private static final class Hasty implements Lock {
        private volatile boolean isTaken;

        @Override
        public void lock() {
            while (isTaken) {
                Thread.onSpinWait();
            }
            isTaken = true;
        }

        @Override
        public void unlock() {
            isTaken = false;
        }
    }

    private static final class Section {
        private final Lock lock;
        private int first;
        private int second;

        Section(Lock lock) {
            this.lock = lock;
        }

        /** How many were there before; negative if the two counts differ. */
        int pass() {
            lock.lock();
            int before = first == second ? first : -1;
            first++;
            second++;
            lock.unlock();
            return before;
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "one after the other")
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "the other way round")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both at once, or not seen")
    @State
    public static class Sound {
        private final Section section = new Section(sound());

        @Actor
        public void one(II_Result r) {
            r.r1 = section.pass();
        }

        @Actor
        public void other(II_Result r) {
            r.r2 = section.pass();
        }
    }

    /** What must fail: a lock that looks, and then takes. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "one after the other")
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "the other way round")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both at once, or not seen")
    @State
    public static class Weak {
        private final Section section = new Section(new Hasty());

        @Actor
        public void one(II_Result r) {
            r.r1 = section.pass();
        }

        @Actor
        public void other(II_Result r) {
            r.r2 = section.pass();
        }
    }
}
