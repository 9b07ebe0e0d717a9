package org.jbmi.zbmi.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.jbmi.spi.SpinLock;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.SessionArea;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Notes that find the lane full. */
@Timeout(60)
class LaneSenderTest {
    private static final long HELD_MS = 100;

    /** Waits of a thread that spins, which are over soon. */
    private static final int MANY = 100_000;

    private final SegmentMap map =
            new SegmentMap(new SegmentGeometry(1, 16, 16, 2, 64, 4096, 4096));
    private final SessionArea area = map.session(1);
    private final SharedMemory memory =
            new SegmentMemory(Arena.ofAuto().allocate(map.unexpectedOffset(), 128));
    private final Waiting waiting = new FutexWaiting();
    private final SpinLock lock = new SpinLock();
    private final Lane lane = new Lane();
    private final LaneSender sender =
            new LaneSender(
                    memory,
                    area,
                    lane,
                    new PeerSleep(memory, area.peerSleepWordOffset(), waiting),
                    new DoorbellRinger(memory, map, area, waiting, () -> {}),
                    lock,
                    1);

    private static final class Lane implements MessageSink {
        private volatile boolean isFull = true;

        @Override
        public int offer(Message message) {
            return room();
        }

        @Override
        public int room() {
            return isFull ? FULL : SENT;
        }
    }

    // The lane got its room before the engine could see that this side asks for it.
    @Test
    void whatIsKeptIsSentBeforeASleepThoughAnotherThreadHasTheLock() throws Exception {
        assertThat(sender.tell(ClientRequests.withdraw(new Message(), 5, 3)))
                .isEqualTo(MessageSink.FULL);
        lane.isFull = false;
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch asleep = new CountDownLatch(1);
        Thread other = Thread.ofPlatform().start(() -> hold(held, asleep));
        held.await();
        sender.flushOrAskForRoom();
        asleep.countDown();
        other.join();
        assertThat(sender.hasUnsaid()).isFalse();
    }

    // A park ends at once while its thread is interrupted; the call would look again and again.
    @Test
    void whoWasInterruptedSleepsForRoomAndStaysInterrupted() throws Exception {
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicBoolean isInterrupted = new AtomicBoolean();
        Thread waiting =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    Thread.currentThread().interrupt();
                                    for (int i = 0; i < MANY && !isOver.get(); i++) {
                                        sender.awaitRoom(Long.MAX_VALUE);
                                    }
                                    isInterrupted.set(Thread.currentThread().isInterrupted());
                                });
        while (waiting.isAlive() && waiting.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        boolean sleeps = waiting.isAlive();

        isOver.set(true);
        waiting.join();
        assertThat(sleeps).isTrue();
        assertThat(isInterrupted).isTrue();
    }

    // Much longer than a thread takes that tries the lock and does not wait for it.
    private void hold(CountDownLatch held, CountDownLatch asleep) {
        lock.lock();
        try {
            held.countDown();
            asleep.await(HELD_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            lock.unlock();
        }
    }
}
