package org.jbmi.core.operation;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.ErrorCode;
import org.jbmi.core.events.CoreEvents;
import org.jbmi.core.peer.CorePeer;
import org.jbmi.core.peer.PeerTable;
import org.jbmi.core.unexpected.UnexpectedStore;
import org.jbmi.core.waiting.Progress;
import org.jbmi.core.waiting.Waiter;
import org.jbmi.core.waiting.WaiterPool;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.WaitPolicy;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

import java.lang.foreign.MemorySegment;

/**
 * A caller blocks in a context while an unexpected message arrives: it sees the message, or it is
 * woken. Who blocks enters first and then asks for messages under the lock under which they arrive.
 */
public final class UnexpectedStress {
    private UnexpectedStress() {}

    private static final class Sender extends MethodAddress {
        Sender() {
            handle(new CorePeer(null, null, this, "test", 1, null));
        }

        @Override
        public String displayName() {
            return "sender";
        }
    }

    private static final class Ends {
        private final CompletionQueue queue;
        private final UnexpectedStore store;
        private final Sender sender = new Sender();
        private final Waiter waiter = new Waiter();

        Ends() {
            DeadlineQueue deadlines = new DeadlineQueue();
            Progress progress =
                    new Progress(
                            new OperationRounds(
                                    deadlines, new OperationLooks(new OperationTable(64))),
                            WaitPolicy.of(WaitPolicy.Mode.BLOCK, 0));
            queue =
                    new CompletionQueue(
                            new OperationTable(64), deadlines, progress, new CoreEvents());
            PeerTable peers = new PeerTable(new CoreEvents(), progress, peer -> {}, false);
            store = new UnexpectedStore(peers, progress, new WaiterPool(), () -> {});
        }

        void arrive() {
            store.arrived(
                    null, "test", sender, 1, 0, ErrorCode.SUCCESS, MemorySegment.NULL, 0, 0, 0);
            queue.nudge();
        }

        void block(ZZ_Result r, boolean isLocked) {
            queue.enter(waiter);
            r.r1 = (isLocked ? store.newestForContexts() : store.waiting()) > 0;
        }

        void judge(ZZ_Result r) {
            r.r2 = waiter.isSignalled();
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "blocked over a message")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody noticed")
    @State
    public static class Sound {
        private final Ends ends = new Ends();

        @Actor
        public void arrive() {
            ends.arrive();
        }

        @Actor
        public void block(ZZ_Result r) {
            ends.block(r, true);
        }

        @Arbiter
        public void judge(ZZ_Result r) {
            ends.judge(r);
        }
    }

    /** What must fail: a look without the lock. */
    @JCStressTest
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "blocked over a message")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody noticed")
    @State
    public static class Weak {
        private final Ends ends = new Ends();

        @Actor
        public void arrive() {
            ends.arrive();
        }

        @Actor
        public void block(ZZ_Result r) {
            ends.block(r, false);
        }

        @Arbiter
        public void judge(ZZ_Result r) {
            ends.judge(r);
        }
    }
}
