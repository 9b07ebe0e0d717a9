package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.WeakMemory.Lack;
import org.jbmi.zbmi.protocol.Message;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

import java.util.ArrayDeque;

/** A lane is a queue with as many places as it has slots. */
public final class LaneHistories {
    private static final int SLOTS = 4;
    private static final long CONSUMED = 0;
    private static final long CREDIT_WANTED = 128;
    private static final long LANE = 256;
    private static final int BYTES = 1024;
    private static final int KIND = 7;

    private LaneHistories() {}

    /** As it is, in arrays. */
    public static class Sound {
        private final LaneProducer producer;
        private final LaneConsumer consumer;
        private final Message sent = new Message();
        private final Message received = new Message();

        /** For Lincheck. */
        public Sound() {
            this(new ArrayMemory(BYTES));
        }

        Sound(SharedMemory memory) {
            producer = new LaneProducer(memory, LANE, SLOTS, CONSUMED, 1);
            consumer = new LaneConsumer(memory, LANE, SLOTS, CONSUMED, CREDIT_WANTED, 1);
        }

        /** The producer sends. */
        @Operation(nonParallelGroup = "producer")
        public int offer(@Param(gen = IntGen.class, conf = "1:9") int value) {
            return producer.offer(sent.start(KIND).put(value).put(~value));
        }

        /** The producer looks whether it could. */
        @Operation(nonParallelGroup = "producer")
        public int room() {
            return producer.room();
        }

        /** The consumer receives. */
        @Operation(nonParallelGroup = "consumer")
        public String poll() {
            int result = consumer.poll(received);
            if (result != MessageSource.RECEIVED) {
                return result == MessageSource.EMPTY ? "empty" : "broken";
            }
            boolean isWhole =
                    received.kind() == KIND
                            && received.wordCount() == 2
                            && received.word(0) == ~received.word(1);
            return isWhole ? "got " + received.word(0) : "half a message";
        }

        /** The consumer looks whether it would. */
        @Operation(nonParallelGroup = "consumer")
        public boolean hasMessage() {
            return consumer.hasMessage();
        }
    }

    /** As it is, in a segment. */
    public static class Real extends Sound {
        /** For Lincheck. */
        public Real() {
            super(WeakMemory.sound(BYTES));
        }
    }

    /** What must be found: without the order of stores. */
    public static class Weak extends Sound {
        /** For Lincheck. */
        public Weak() {
            super(WeakMemory.lacking(Lack.RELEASE, new ArrayMemory(BYTES)));
        }
    }

    /** What it is to those who use it. */
    public static class Spec {
        private final ArrayDeque<Integer> queue = new ArrayDeque<>();

        /** Appends. */
        public int offer(int value) {
            if (queue.size() == SLOTS) {
                return MessageSink.FULL;
            }
            queue.add(value);
            return MessageSink.SENT;
        }

        /** Whether there is room. */
        public int room() {
            return queue.size() == SLOTS ? MessageSink.FULL : MessageSink.SENT;
        }

        /** Takes the oldest. */
        public String poll() {
            Integer value = queue.poll();
            return value == null ? "empty" : "got " + value;
        }

        /** Whether there is one. */
        public boolean hasMessage() {
            return !queue.isEmpty();
        }
    }
}
