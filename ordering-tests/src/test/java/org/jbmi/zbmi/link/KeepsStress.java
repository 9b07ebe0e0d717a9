package org.jbmi.zbmi.link;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.host.port.SegmentPayload;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionArea;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * A client sends short unexpected messages until it reads that the engine keeps some of them. The
 * engine says so and then frees slots; the client puts at most one message into these slots. The
 * classes of both ends are those of the library, but the client reads the word and sends in a loop
 * of this test.
 */
public final class KeepsStress {
    private KeepsStress() {}

    private static final int BYTES = Small.BYTES;
    private static final int QUARTER = Small.SLOTS / 4;

    private static final class Ends {
        private final LaneProducer producer;
        private final LaneConsumer consumer;
        private final SharedMemory memory;
        private final SegmentPayload payload;
        private final Message sent = new Message();
        private final Message received = new Message();

        // The ring is full, and the engine has read all but the last message of a quarter.
        Ends(SharedMemory memory) {
            producer = Small.producerOfPeer(memory);
            consumer = Small.consumerOfEngine(memory);
            this.memory = memory;
            payload = new SegmentPayload(Small.view(memory, Small.NOBODY));
            payload.keeps(1, SessionArea.KEEPS_ALL);
            for (int i = 0; i < Small.SLOTS; i++) {
                producer.offer(sent.start(7));
            }
            read(QUARTER - 1);
        }

        // As the client's link reads it.
        private boolean keepsAll() {
            return memory.getIntAcquire(Small.AREA.keepsOffset()) == SessionArea.KEEPS_ALL;
        }

        private void read(int count) {
            for (int i = 0; i < count; i++) {
                consumer.poll(received);
            }
        }

        // It has no memory for the first message, and reads the next quarter.
        void engine() {
            read(1);
            payload.keeps(1, SessionArea.KEEPS_SOME);
            read(QUARTER);
        }

        void engineThatSaysItLate() {
            read(1 + QUARTER);
            Thread.onSpinWait();
            payload.keeps(1, SessionArea.KEEPS_SOME);
        }

        void client(I_Result r) {
            for (int i = 0; i < 4 * Small.SLOTS && keepsAll(); i++) {
                r.r1 += producer.offer(sent.start(7)) == MessageSink.SENT ? 1 : 0;
            }
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "[0-5]", expect = ACCEPTABLE, desc = "a quarter, and one more")
    @Outcome(id = "[6-8]", expect = FORBIDDEN, desc = "it sends on, though it was told")
    @State
    public static class Sound {
        private final Ends ends = new Ends(WeakMemory.sound(BYTES));

        @Actor
        public void engine() {
            ends.engine();
        }

        @Actor
        public void client(I_Result r) {
            ends.client(r);
        }
    }

    /** What must fail: the engine frees slots first. */
    @JCStressTest
    @Outcome(id = "[0-5]", expect = ACCEPTABLE, desc = "a quarter, and one more")
    @Outcome(id = "[6-8]", expect = FORBIDDEN, desc = "it sends on, though it was told")
    @State
    public static class Weak {
        private final Ends ends = new Ends(WeakMemory.sound(BYTES));

        @Actor
        public void engine() {
            ends.engineThatSaysItLate();
        }

        @Actor
        public void client(I_Result r) {
            ends.client(r);
        }
    }
}
