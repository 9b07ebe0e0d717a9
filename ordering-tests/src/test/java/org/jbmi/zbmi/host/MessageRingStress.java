package org.jbmi.zbmi.host;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.zbmi.protocol.Message;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Who sees that there is a message in the ring sees the message. */
public final class MessageRingStress {
    private MessageRingStress() {}

    /** What both rings are to those who use them. */
    private interface Ring {
        boolean offer(Message message);

        boolean poll(Message into);
    }

    private static Ring sound() {
        MessageRing ring = new MessageRing(4);
        return new Ring() {
            @Override
            public boolean offer(Message message) {
                return ring.offer(message);
            }

            @Override
            public boolean poll(Message into) {
                return ring.poll(into);
            }
        };
    }

    /** The same with one place, and told of before it is filled. */
    private static final class Hasty implements Ring {
        private final long[] words = new long[2];
        private volatile long header;

        @Override
        public boolean offer(Message message) {
            header = message.header();
            for (int i = 0; i < message.wordCount(); i++) {
                words[i] = message.word(i);
            }
            return true;
        }

        @Override
        public boolean poll(Message into) {
            long now = header;
            if (now == 0) {
                return false;
            }
            int count = into.load(now);
            for (int i = 0; i < count; i++) {
                into.setWord(i, words[i]);
            }
            return true;
        }
    }

    private static final class Ends {
        private final Ring ring;
        private final Message sent = new Message();
        private final Message received = new Message();

        Ends(Ring ring) {
            this.ring = ring;
        }

        void offer() {
            ring.offer(sent.start(7).put(41).put(42));
        }

        void poll(II_Result r) {
            r.r1 = ring.poll(received) ? 1 : 0;
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
        private final Ends ends = new Ends(sound());

        @Actor
        public void offer() {
            ends.offer();
        }

        @Actor
        public void poll(II_Result r) {
            ends.poll(r);
        }
    }

    /** What must fail: told of before it is filled. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "nothing yet")
    @Outcome(id = "1, 42", expect = ACCEPTABLE, desc = "the message")
    @Outcome(id = "1, .*", expect = FORBIDDEN, desc = "half a message")
    @State
    public static class Weak {
        private final Ends ends = new Ends(new Hasty());

        @Actor
        public void offer() {
            ends.offer();
        }

        @Actor
        public void poll(II_Result r) {
            ends.poll(r);
        }
    }
}
