package org.jbmi.zbmi.link;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.host.port.SegmentPayload;
import org.jbmi.zbmi.link.WeakMemory.Lack;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Either the client that cancels a receive finds the bytes that the engine has sent, or the engine
 * sees that there is a cancel.
 */
public final class CancelStress {
    private CancelStress() {}

    private static final int BYTES = Small.BYTES;

    private static final class Ends {
        private final SharedMemory memory;
        private final LanePort engine;
        private final LaneConsumer client;
        private final SegmentPayload payload;
        private final Message sent = new Message();
        private final Message received = new Message();

        Ends(SharedMemory memory) {
            this.memory = memory;
            EngineSegment segment = Small.view(memory, Small.NOBODY);
            this.engine = new LanePort(segment, Small.WELCOME, 1);
            this.client = Small.consumerOfPeer(memory);
            this.payload = new SegmentPayload(segment);
        }

        void engine(II_Result r) {
            engine.publish(ClientEvents.data(sent, 1, 0));
            r.r1 = (int) payload.cancels(1);
        }

        void client(II_Result r) {
            ShmClientLink.countCancel(memory, Small.AREA, 1);
            r.r2 = client.poll(received) == MessageSource.RECEIVED ? 1 : 0;
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "both believe that they were first")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody noticed")
    @State
    public static class Sound {
        private final Ends ends = new Ends(WeakMemory.sound(BYTES));

        @Actor
        public void engine(II_Result r) {
            ends.engine(r);
        }

        @Actor
        public void client(II_Result r) {
            ends.client(r);
        }
    }

    /** What must fail: without fences. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "both believe that they were first")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody noticed")
    @State
    public static class Weak {
        private final Ends ends =
                new Ends(WeakMemory.lacking(Lack.FENCES, WeakMemory.sound(BYTES)));

        @Actor
        public void engine(II_Result r) {
            ends.engine(r);
        }

        @Actor
        public void client(II_Result r) {
            ends.client(r);
        }
    }
}
