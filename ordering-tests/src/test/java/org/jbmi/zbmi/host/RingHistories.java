package org.jbmi.zbmi.host;

import org.jbmi.zbmi.protocol.Message;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

import java.util.ArrayDeque;

/** A ring of messages is a queue, and any thread may ask whether it is empty. */
public final class RingHistories {
    private static final int CAPACITY = 2;
    private static final int KIND = 7;

    private RingHistories() {}

    /** What both rings are to those who use them. */
    private interface Ring {
        boolean offer(Message message);

        boolean poll(Message into);

        boolean isEmpty();
    }

    private static Ring sound() {
        MessageRing ring = new MessageRing(CAPACITY);
        return new Ring() {
            @Override
            public boolean offer(Message message) {
                return ring.offer(message);
            }

            @Override
            public boolean poll(Message into) {
                return ring.poll(into);
            }

            @Override
            public boolean isEmpty() {
                return ring.isEmpty();
            }
        };
    }

    /** The same, but a place is free again before it was read. */
    private static final class Hasty implements Ring {
        private final long[][] records = new long[CAPACITY][2];
        private volatile int head;
        private volatile int tail;

        @Override
        public boolean offer(Message message) {
            int at = tail;
            if (at - head == CAPACITY) {
                return false;
            }
            records[at % CAPACITY][0] = message.word(0);
            records[at % CAPACITY][1] = message.word(1);
            tail = at + 1;
            return true;
        }

        @Override
        public boolean poll(Message into) {
            int at = head;
            if (at == tail) {
                return false;
            }
            head = at + 1;
            into.start(KIND).put(records[at % CAPACITY][0]).put(records[at % CAPACITY][1]);
            return true;
        }

        @Override
        public boolean isEmpty() {
            return head == tail;
        }
    }

    /** As it is. */
    public static class Sound {
        private final Ring ring;
        private final Message sent = new Message();
        private final Message received = new Message();

        /** For Lincheck. */
        public Sound() {
            this(sound());
        }

        private Sound(Ring ring) {
            this.ring = ring;
        }

        /** One thread offers. */
        @Operation(nonParallelGroup = "producer")
        public boolean offer(@Param(gen = IntGen.class, conf = "1:9") int value) {
            return ring.offer(sent.start(KIND).put(value).put(~value));
        }

        /** One thread polls. */
        @Operation(nonParallelGroup = "consumer")
        public String poll() {
            if (!ring.poll(received)) {
                return "empty";
            }
            boolean isWhole = received.wordCount() == 2 && received.word(0) == ~received.word(1);
            return isWhole ? "got " + received.word(0) : "half a message";
        }

        /** Any thread asks. */
        @Operation
        public boolean isEmpty() {
            return ring.isEmpty();
        }
    }

    /** What must be found: a place that is free again before it was read. */
    public static class Weak extends Sound {
        /** For Lincheck. */
        public Weak() {
            super(new Hasty());
        }
    }

    /** What it is to those who use it. */
    public static class Spec {
        private final ArrayDeque<Integer> queue = new ArrayDeque<>();

        /** Appends. */
        public boolean offer(int value) {
            return queue.size() < CAPACITY && queue.add(value);
        }

        /** Takes the oldest. */
        public String poll() {
            Integer value = queue.poll();
            return value == null ? "empty" : "got " + value;
        }

        /** Whether there is none. */
        public boolean isEmpty() {
            return queue.isEmpty();
        }
    }
}
