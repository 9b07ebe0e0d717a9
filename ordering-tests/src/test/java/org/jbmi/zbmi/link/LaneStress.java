package org.jbmi.zbmi.link;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.WeakMemory.Lack;
import org.jbmi.zbmi.protocol.Message;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Who sees that there is a message sees the message. */
public final class LaneStress {
    private LaneStress() {}

    private static final long LANE = 256;
    private static final int BYTES = 4096;

    private static final class Ends {
        private final LaneProducer producer;
        private final LaneConsumer consumer;
        private final Message sent = new Message();
        private final Message received = new Message();

        Ends(SharedMemory memory) {
            producer = new LaneProducer(memory, LANE, 16, 0, 1);
            consumer = new LaneConsumer(memory, LANE, 16, 0, 128, 1);
        }

        void send() {
            producer.offer(sent.start(7).put(41).put(42));
        }

        void receive(II_Result r) {
            r.r1 = consumer.poll(received) == LaneConsumer.EMPTY ? 0 : 1;
            r.r2 = r.r1 == 1 && received.wordCount() == 2 ? (int) received.word(1) : 0;
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "nothing yet")
    @Outcome(id = "1, 42", expect = ACCEPTABLE, desc = "the message")
    @Outcome(id = "1, .*", expect = FORBIDDEN, desc = "half a message")
    @State
    public static class Sound {
        private final Ends ends = new Ends(WeakMemory.sound(BYTES));

        @Actor
        public void send() {
            ends.send();
        }

        @Actor
        public void receive(II_Result r) {
            ends.receive(r);
        }
    }

    /** What must fail: without the order of stores. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "nothing yet")
    @Outcome(id = "1, 42", expect = ACCEPTABLE, desc = "the message")
    @Outcome(id = "1, .*", expect = FORBIDDEN, desc = "half a message")
    @State
    public static class Weak {
        private final Ends ends =
                new Ends(WeakMemory.lacking(Lack.RELEASE, WeakMemory.sound(BYTES)));

        @Actor
        public void send() {
            ends.send();
        }

        @Actor
        public void receive(II_Result r) {
            ends.receive(r);
        }
    }
}
