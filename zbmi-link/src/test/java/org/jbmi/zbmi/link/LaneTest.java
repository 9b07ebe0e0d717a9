package org.jbmi.zbmi.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionArea;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

@Timeout(60)
class LaneTest {
    private static final int SLOTS = 16;
    private static final int MANY_SLOTS = 256;
    private static final int GENERATION = 0x8000_0007;
    private static final long LANE = 1024;
    private static final long CONSUMED = 0;
    private static final long CREDIT_WANTED = 128;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment =
            arena.allocate(LANE + MANY_SLOTS * SessionArea.SLOT_BYTES, 128);
    private final SharedMemory memory = new SegmentMemory(segment);
    private final Message out = new Message();
    private final Message in = new Message();

    private LaneProducer producer() {
        return producer(SLOTS);
    }

    private LaneProducer producer(int slots) {
        return new LaneProducer(memory, LANE, slots, CONSUMED, GENERATION);
    }

    private LaneConsumer consumer() {
        return consumer(SLOTS);
    }

    private LaneConsumer consumer(int slots) {
        return new LaneConsumer(memory, LANE, slots, CONSUMED, CREDIT_WANTED, GENERATION);
    }

    @AfterEach
    void close() {
        arena.close();
    }

    private Message numbered(long number) {
        int words = (int) (number % (Message.MAX_WORDS + 1));
        out.start(1 + (int) (number % 1000));
        for (int i = 0; i < words; i++) {
            out.put(number * 31 + i);
        }
        return out;
    }

    private void check(long number) {
        assertThat(in.kind()).isEqualTo(1 + (int) (number % 1000));
        assertThat(in.wordCount()).isEqualTo((int) (number % (Message.MAX_WORDS + 1)));
        for (int i = 0; i < in.wordCount(); i++) {
            assertThat(in.word(i)).isEqualTo(number * 31 + i);
        }
    }

    /** Its words are written before there is a message, but only if no message stands there. */
    @Test
    void fetchingTheNextSlotChangesNoMessage() {
        LaneProducer producer = producer();
        LaneConsumer consumer = consumer();
        long received = 0;
        for (long sent = 0; sent < 20 * SLOTS; sent++) {
            producer.fetchNext();
            assertThat(producer.offer(numbered(sent))).isEqualTo(LaneProducer.SENT);
            producer.fetchNext(); // the lane is full after every sixteenth
            while (sent % SLOTS == SLOTS - 1 && received <= sent) {
                assertThat(consumer.poll(in)).isEqualTo(MessageSource.RECEIVED);
                check(received++);
            }
        }
        assertThat(consumer.poll(in)).isEqualTo(MessageSource.EMPTY);
    }

    @Test
    void messagesComeOutAsTheyWentInAroundTheRingManyTimes() {
        LaneProducer producer = producer();
        LaneConsumer consumer = consumer();
        Random random = new Random(5);
        long sent = 0;
        long received = 0;
        while (received < 5000) {
            for (int i = random.nextInt(SLOTS + 1); i > 0; i--) {
                int result = producer.offer(numbered(sent));
                assertThat(result == LaneProducer.SENT).isEqualTo(sent - received < SLOTS);
                sent += result;
            }
            for (int i = random.nextInt(SLOTS + 1); i > 0; i--) {
                assertThat(consumer.hasMessage()).isEqualTo(sent > received);
                int result = consumer.poll(in);
                assertThat(result).isEqualTo(sent > received ? 1 : 0);
                if (result == LaneConsumer.RECEIVED) {
                    check(received++);
                }
            }
            while (consumer.poll(in) == LaneConsumer.RECEIVED) {
                check(received++);
            }
        }
    }

    @Test
    void aFullLaneTakesNoMoreUntilAQuarterIsRead() {
        LaneProducer producer = producer();
        LaneConsumer consumer = consumer();
        for (int i = 0; i < SLOTS; i++) {
            assertThat(producer.offer(numbered(i))).isEqualTo(LaneProducer.SENT);
        }
        for (int i = 0; i < SLOTS / 4; i++) {
            assertThat(producer.offer(numbered(99))).isEqualTo(LaneProducer.FULL);
            assertThat(consumer.poll(in)).isEqualTo(LaneConsumer.RECEIVED);
        }
        assertThat(producer.room()).isEqualTo(LaneProducer.SENT);
    }

    @Test
    void anEmptyLaneGivesAllRoomBack() {
        LaneProducer producer = producer();
        LaneConsumer consumer = consumer();
        producer.offer(numbered(0));
        consumer.poll(in);
        assertThat(memory.getLongPlain(CONSUMED)).isZero();
        assertThat(consumer.poll(in)).isEqualTo(LaneConsumer.EMPTY);
        assertThat(memory.getLongPlain(CONSUMED)).isEqualTo(1);
    }

    @Test
    void aProducerThatWantsCreditIsToldOfOnceAQuarterIsRead() {
        LaneProducer producer = producer();
        LaneConsumer consumer = consumer();
        for (int i = 0; i < SLOTS; i++) {
            producer.offer(numbered(i));
        }
        memory.setIntPlain(CREDIT_WANTED, 1);
        for (int i = 0; i < SLOTS / 4; i++) {
            assertThat(consumer.takeCreditDue()).isFalse();
            consumer.poll(in);
        }
        assertThat(consumer.takeCreditDue()).isTrue();
        assertThat(consumer.takeCreditDue()).isFalse();
        assertThat(memory.getIntPlain(CREDIT_WANTED)).isZero();
    }

    @Test
    void whatAnotherSessionLeftIsNotReadAndIsNoError() {
        LaneProducer former = new LaneProducer(memory, LANE, SLOTS, CONSUMED, GENERATION - 1);
        for (int i = 0; i < SLOTS; i++) {
            former.offer(numbered(i));
        }
        LaneConsumer consumer = consumer();
        assertThat(consumer.hasMessage()).isFalse();
        assertThat(consumer.poll(in)).isEqualTo(LaneConsumer.EMPTY);
        producer().offer(numbered(7));
        assertThat(consumer.poll(in)).isEqualTo(LaneConsumer.RECEIVED);
        check(7);
        assertThat(consumer.poll(in)).isEqualTo(LaneConsumer.EMPTY);
    }

    @Test
    void aStampOutOfOrderBreaksTheLane() {
        for (long wrong : new long[] {1, 2, SLOTS, SLOTS + 1, 0x7fff_ffff, 0xffff_ffffL}) {
            memory.zero(0, memory.sizeBytes());
            memory.setLongPlain(LANE, LaneProducer.stamp(stampBase(), wrong));
            LaneConsumer consumer = consumer();
            assertThat(consumer.hasMessage()).isTrue();
            assertThat(consumer.poll(in)).isEqualTo(LaneConsumer.BROKEN);
        }
    }

    @Test
    void theStampOfTheRoundBeforeIsNoMessage() {
        LaneProducer producer = producer();
        LaneConsumer consumer = consumer();
        for (int i = 0; i < SLOTS; i++) {
            producer.offer(numbered(i));
            consumer.poll(in);
        }
        assertThat(consumer.poll(in)).isEqualTo(LaneConsumer.EMPTY);
        memory.setLongPlain(LANE, LaneProducer.stamp(stampBase(), 1));
        assertThat(consumer.poll(in)).isEqualTo(LaneConsumer.BROKEN);
    }

    @Test
    void aHeaderThatIsNoneBreaksTheLane() {
        for (long header : new long[] {0, -1, 1L << 40, 1 | 15L << 16, Long.MIN_VALUE}) {
            memory.zero(0, memory.sizeBytes());
            producer().offer(numbered(3));
            memory.setLongPlain(LANE + LaneProducer.HEADER, header);
            assertThat(consumer().poll(in)).isEqualTo(LaneConsumer.BROKEN);
        }
    }

    @Test
    void aCountThatGoesBackOrAheadBreaksTheLane() {
        for (long wrong : new long[] {-1, SLOTS + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            memory.zero(0, memory.sizeBytes());
            LaneProducer producer = producer();
            for (int i = 0; i < SLOTS; i++) {
                producer.offer(numbered(i));
            }
            memory.setLongPlain(CONSUMED, wrong);
            assertThat(producer.offer(numbered(0))).isEqualTo(LaneProducer.BROKEN);
        }
        memory.zero(0, memory.sizeBytes());
        LaneProducer producer = producer();
        for (int i = 0; i < SLOTS; i++) {
            producer.offer(numbered(i));
        }
        memory.setLongPlain(CONSUMED, 8);
        assertThat(producer.room()).isEqualTo(LaneProducer.SENT);
        memory.setLongPlain(CONSUMED, 7);
        assertThat(producer.room()).isEqualTo(LaneProducer.BROKEN);
    }

    @Test
    void garbageInAnyWordIsAMessageOrNoneOrAnErrorAndNothingElse() {
        long seed = System.nanoTime();
        System.out.println("LaneTest seed " + seed);
        Random random = new Random(seed);
        int[] seen = new int[3];
        for (int round = 0; round < 20_000; round++) {
            memory.zero(0, memory.sizeBytes());
            LaneProducer producer = producer();
            LaneConsumer consumer = consumer();
            for (int i = random.nextInt(SLOTS); i > 0; i--) {
                producer.offer(numbered(random.nextInt(100)));
            }
            for (int i = 0; i < 4; i++) {
                long at = random.nextLong(memory.sizeBytes() / 8) * 8;
                long value = memory.getLongPlain(at) ^ 1L << random.nextInt(64);
                memory.setLongPlain(at, random.nextBoolean() ? value : random.nextLong());
            }
            for (int i = 0; i < SLOTS * 2; i++) {
                int result = consumer.poll(in);
                seen[result + 1]++;
                if (result != LaneConsumer.RECEIVED) {
                    break;
                }
                assertThat(in.wordCount()).isBetween(0, Message.MAX_WORDS);
            }
        }
        assertThat(seen).doesNotContain(0);
    }

    private static long stampBase() {
        return LaneProducer.stampBase(GENERATION);
    }

    /**
     * Each time that a lane runs full or empty, a busy machine may give the processor to somebody
     * else, so a lane with few slots passes fewer messages.
     */
    @ParameterizedTest
    @CsvSource({SLOTS + ", 60000", MANY_SLOTS + ", 1000000"})
    @Timeout(300)
    void twoThreadsPassMessagesInOrder(int slots, int messages) throws Exception {
        LaneProducer producer = producer(slots);
        LaneConsumer consumer = consumer(slots);
        CompletableFuture<Void> sender =
                CompletableFuture.runAsync(
                        () -> {
                            for (long i = 0; i < messages; ) {
                                if (producer.offer(numbered(i)) == LaneProducer.SENT) {
                                    i++;
                                } else {
                                    pause();
                                }
                            }
                        });
        for (long i = 0; i < messages; ) {
            int result = consumer.poll(in);
            if (result == LaneConsumer.RECEIVED) {
                long number = i++;
                boolean isRight =
                        in.kind() == 1 + (int) (number % 1000)
                                && in.wordCount() == (int) (number % (Message.MAX_WORDS + 1));
                for (int w = 0; w < in.wordCount(); w++) {
                    isRight &= in.word(w) == number * 31 + w;
                }
                assertThat(isRight).as("message %d", number).isTrue();
            } else {
                assertThat(result).isEqualTo(LaneConsumer.EMPTY);
                pause();
            }
        }
        sender.get();
    }

    /** Lets the other side have the processor, where there is one for both and others besides. */
    @SuppressWarnings("ThreadPriorityCheck")
    private static void pause() {
        Thread.onSpinWait();
        Thread.yield();
    }

    @Test
    void sendingAndReceivingAllocateNothing() {
        LaneProducer producer = producer();
        LaneConsumer consumer = consumer();
        pass(producer, consumer, 20_000);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        pass(producer, consumer, 100_000);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated).isLessThan(2000);
    }

    private void pass(LaneProducer producer, LaneConsumer consumer, int messages) {
        for (int i = 0; i < messages; i++) {
            out.start(3).put(i).put(i);
            if (producer.offer(out) != LaneProducer.SENT
                    || consumer.poll(in) != LaneConsumer.RECEIVED) {
                throw new AssertionError("message " + i);
            }
        }
    }
}
