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

/**
 * Either the producer without room sees that there is some, or the consumer sees that it wants
 * some.
 */
public final class CreditStress {
    private CreditStress() {}

    private static final int BYTES = Small.BYTES;

    private static final class Ends {
        private final LaneSender sender;
        private final LaneConsumer consumer;
        private final Message received = new Message();

        // The ring is full, and the next message that is read ends a quarter of it.
        Ends(SharedMemory memory) {
            LaneProducer producer = Small.producerOfPeer(memory);
            sender = Small.sender(memory, producer);
            consumer = Small.consumerOfEngine(memory);
            Message sent = new Message();
            for (int i = 0; i < Small.SLOTS; i++) {
                producer.offer(sent.start(7));
            }
            for (int i = 0; i < Small.SLOTS / 4 - 1; i++) {
                consumer.poll(received);
            }
        }

        void producer(II_Result r) {
            r.r1 = sender.hasRoom() ? 0 : 1;
        }

        void consumer(II_Result r) {
            consumer.poll(received);
            r.r2 = consumer.takeCreditDue() ? 1 : 0;
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "it waits for room that is there")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody noticed")
    @State
    public static class Sound {
        private final Ends ends = new Ends(WeakMemory.sound(BYTES));

        @Actor
        public void producer(II_Result r) {
            ends.producer(r);
        }

        @Actor
        public void consumer(II_Result r) {
            ends.consumer(r);
        }
    }

    /** What must fail: without fences. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "it waits for room that is there")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody noticed")
    @State
    public static class Weak {
        private final Ends ends =
                new Ends(WeakMemory.lacking(Lack.FENCES, WeakMemory.sound(BYTES)));

        @Actor
        public void producer(II_Result r) {
            ends.producer(r);
        }

        @Actor
        public void consumer(II_Result r) {
            ends.consumer(r);
        }
    }
}
