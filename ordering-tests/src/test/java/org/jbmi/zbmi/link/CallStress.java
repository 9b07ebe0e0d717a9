package org.jbmi.zbmi.link;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.zbmi.protocol.Message;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Either the caller that goes to sleep sees the answer, or who answers sees the sleeper. */
public final class CallStress {
    private CallStress() {}

    /** What both calls are to those who use them. */
    private interface Waited {
        void sleeps(Thread thread);

        boolean isAnswered();

        Thread answer();
    }

    private static Waited sound() {
        CallTable.Call call = new CallTable.Call(0);
        Message answer = new Message();
        return new Waited() {
            @Override
            public void sleeps(Thread thread) {
                call.sleeps(thread);
            }

            @Override
            public boolean isAnswered() {
                return call.isAnswered();
            }

            @Override
            public Thread answer() {
                return call.answer(answer);
            }
        };
    }

    /** The same without the order of a store and a load that follows it. */
    private static final class Loose implements Waited {
        private final AtomicReference<Thread> sleeper = new AtomicReference<>();
        private final AtomicInteger state = new AtomicInteger();

        @Override
        public void sleeps(Thread thread) {
            sleeper.setRelease(thread);
        }

        @Override
        public boolean isAnswered() {
            return state.getAcquire() == CallTable.Call.ANSWERED;
        }

        @Override
        public Thread answer() {
            state.setRelease(CallTable.Call.ANSWERED);
            return sleeper.getAcquire();
        }
    }

    private static final class Ends {
        private final Waited call;

        Ends(Waited call) {
            this.call = call;
        }

        void caller(II_Result r) {
            call.sleeps(Thread.currentThread());
            r.r1 = call.isAnswered() ? 1 : 0;
        }

        void answerer(II_Result r) {
            r.r2 = call.answer() == null ? 0 : 1;
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "asleep over its answer")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody noticed")
    @State
    public static class Sound {
        private final Ends ends = new Ends(sound());

        @Actor
        public void caller(II_Result r) {
            ends.caller(r);
        }

        @Actor
        public void answerer(II_Result r) {
            ends.answerer(r);
        }
    }

    /** What must fail: without the order of a store and a later load. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "asleep over its answer")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody noticed")
    @State
    public static class Weak {
        private final Ends ends = new Ends(new Loose());

        @Actor
        public void caller(II_Result r) {
            ends.caller(r);
        }

        @Actor
        public void answerer(II_Result r) {
            ends.answerer(r);
        }
    }
}
