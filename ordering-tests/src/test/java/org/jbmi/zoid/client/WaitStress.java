package org.jbmi.zoid.client;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.observe.Counters;
import org.jbmi.spi.SpinLock;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.Message;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

import java.nio.channels.SelectableChannel;

/**
 * A caller begins to wait while another thread posts: either who waits finds the operation, or who
 * posts finds that somebody waits. One of them asks the engine, which offers nothing otherwise.
 *
 * <p>The class that waits is that of the library; the steps of the post are copied into this test.
 */
public final class WaitStress {
    private static final long LATER_NS = 1L << 60;
    private static final ClientCounters COUNTERS =
            new ClientCounters(Counters.inMemory(), new SpinLock());

    private WaitStress() {}

    private static final class Half {
        private final Asked channel = new Asked();
        private final ClientWait wait = new ClientWait(channel, () -> 1, COUNTERS);
        private final SpinLock lock = new SpinLock();
        private boolean isPending;

        private boolean isAnyPending() {
            lock.lock();
            boolean isAny = isPending;
            lock.unlock();
            return isAny;
        }

        void post() {
            lock.lock();
            isPending = true;
            lock.unlock();
            lock.lock();
            boolean isToArm = wait.isWaiting();
            lock.unlock();
            if (isToArm) {
                wait.arm();
            }
        }

        void begin() {
            wait.begins(LATER_NS, this::isAnyPending);
        }

        void beginTooLate() {
            boolean isAny = isAnyPending();
            wait.begins(LATER_NS, () -> isAny);
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "the engine is asked")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "nothing will be offered")
    @State
    public static class Sound {
        private final Half half = new Half();

        @Actor
        public void post() {
            half.post();
        }

        @Actor
        public void begin() {
            half.begin();
        }

        @Arbiter
        public void look(Z_Result r) {
            r.r1 = half.channel.isAsked;
        }
    }

    /** What must fail: who begins to wait looks first and says so then. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "the engine is asked")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "nothing will be offered")
    @State
    public static class Weak {
        private final Half half = new Half();

        @Actor
        public void post() {
            half.post();
        }

        @Actor
        public void begin() {
            half.beginTooLate();
        }

        @Arbiter
        public void look(Z_Result r) {
            r.r1 = half.channel.isAsked;
        }
    }

    /** Notes that it was asked. */
    private static final class Asked implements PeerChannel {
        private boolean isAsked;

        @Override
        public int call(Message request, Message reply, long timeoutNs) {
            throw new AssertionError("nobody waits for an answer");
        }

        @Override
        public int note(Message note, long timeoutNs) {
            isAsked = true;
            return OK;
        }

        @Override
        public int tell(Message note) {
            return note(note, 0);
        }

        @Override
        public boolean hasUnsaid() {
            return false;
        }

        @Override
        public int progress() {
            return 0;
        }

        @Override
        public boolean prepareSleep(boolean inSelector) {
            return false;
        }

        @Override
        public void sleep(long timeoutNs) {}

        @Override
        public void finishSleep() {}

        @Override
        public void wake() {}

        @Override
        public SelectableChannel selectable() {
            return null;
        }

        @Override
        public String brokenReason() {
            return null;
        }

        @Override
        public void end(String reason) {}

        @Override
        public void close() {}
    }
}
