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

/** A message is seen whole or not at all. */
public final class LaneStress {
    private LaneStress() {}

    private static final int LANE = 256;
    private static final int BYTES = LANE + 16 * 128;

    /** As it is. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "nothing yet")
    @Outcome(id = "1, 42", expect = ACCEPTABLE, desc = "the message")
    @Outcome(id = "1, .*", expect = FORBIDDEN, desc = "half a message")
    @State
    public static class Sound {
        private final SharedMemory memory = WeakMemory.sound(BYTES);
        private final LaneProducer producer = new LaneProducer(memory, LANE, 16, 0, 1);
        private final LaneConsumer consumer = new LaneConsumer(memory, LANE, 16, 0, 128, 1);
        private final Message sent = new Message();
        private final Message received = new Message();

        @Actor
        public void send() {
            producer.offer(sent.start(7).put(41).put(42));
        }

        @Actor
        public void receive(II_Result r) {
            r.r1 = consumer.poll(received) == LaneConsumer.EMPTY ? 0 : 1;
            r.r2 = r.r1 == 1 && received.wordCount() == 2 ? (int) received.word(1) : 0;
        }
    }

    /** What must fail: without the order of stores. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "nothing yet")
    @Outcome(id = "1, 42", expect = ACCEPTABLE, desc = "the message")
    @Outcome(id = "1, .*", expect = FORBIDDEN, desc = "half a message")
    @State
    public static class Weak {
        private final SharedMemory memory =
                WeakMemory.lacking(Lack.RELEASE, WeakMemory.sound(BYTES));
        private final LaneProducer producer = new LaneProducer(memory, LANE, 16, 0, 1);
        private final LaneConsumer consumer = new LaneConsumer(memory, LANE, 16, 0, 128, 1);
        private final Message sent = new Message();
        private final Message received = new Message();

        @Actor
        public void send() {
            producer.offer(sent.start(7).put(41).put(42));
        }

        @Actor
        public void receive(II_Result r) {
            r.r1 = consumer.poll(received) == LaneConsumer.EMPTY ? 0 : 1;
            r.r2 = r.r1 == 1 && received.wordCount() == 2 ? (int) received.word(1) : 0;
        }
    }
}
