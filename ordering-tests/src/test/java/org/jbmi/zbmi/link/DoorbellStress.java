package org.jbmi.zbmi.link;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.link.WeakMemory.Lack;
import org.jbmi.zbmi.protocol.Message;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Either the engine that lets a session go cold sees the message, or its peer rings. */
public final class DoorbellStress {
    private DoorbellStress() {}

    private static final int BYTES = Small.BYTES;

    private static final class Ends {
        private final SharedMemory memory;
        private final LanePort port;
        private final LaneProducer producer;
        private final DoorbellRinger ringer;
        private final Message sent = new Message();

        Ends(SharedMemory memory) {
            this.memory = memory;
            port = new LanePort(Small.view(memory, Small.NOBODY), Small.WELCOME, 1);
            memory.setIntVolatile(Small.AREA.armedOffset(), 0); // the session is hot
            producer = Small.producerOfPeer(memory);
            ringer = Small.ringer(memory, Small.NOBODY);
        }

        void peer() {
            producer.offer(sent.start(7));
            ringer.ring();
        }

        void engine(II_Result r) {
            r.r1 = port.goCold() ? 1 : 0;
        }

        void after(II_Result r) {
            r.r2 = memory.getLongAcquire(Small.MAP.doorbellOffset(0)) == 0 ? 0 : 1;
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "cold, and nobody rang")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody looks")
    @State
    public static class Sound {
        private final Ends ends = new Ends(WeakMemory.sound(BYTES));

        @Actor
        public void peer() {
            ends.peer();
        }

        @Actor
        public void engine(II_Result r) {
            ends.engine(r);
        }

        @Arbiter
        public void after(II_Result r) {
            ends.after(r);
        }
    }

    /** What must fail: without fences. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "cold, and nobody rang")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody looks")
    @State
    public static class Weak {
        private final Ends ends =
                new Ends(WeakMemory.lacking(Lack.FENCES, WeakMemory.sound(BYTES)));

        @Actor
        public void peer() {
            ends.peer();
        }

        @Actor
        public void engine(II_Result r) {
            ends.engine(r);
        }

        @Arbiter
        public void after(II_Result r) {
            ends.after(r);
        }
    }
}
