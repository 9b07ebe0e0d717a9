package org.jbmi.mempool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class FutexWaitingTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final String SLEEPER = "futex sleeper";

    private final Arena arena = Arena.ofShared();
    private final SharedMemory memory = new SegmentMemory(arena.allocate(4096, 64));
    private final FutexWaiting waiting = new FutexWaiting();

    @AfterEach
    void closeMemory() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    @Test
    void anotherValueReturnsAtOnce() {
        memory.setIntVolatile(64, 7);

        assertThat(waiting.await(memory, 64, 6, 20 * SECOND_NS)).isTrue();
    }

    @Test
    void systemCallsAreCounted() {
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger beside = new AtomicInteger();
        waiting.onSystemCall(calls::incrementAndGet);
        waiting.onSystemCall(beside::incrementAndGet);
        memory.setIntVolatile(64, 7);
        waiting.await(memory, 64, 6, SECOND_NS);
        waiting.await(memory, 64, 7, 0);
        assertThat(calls).as("no sleep was needed").hasValue(0);
        waiting.wakeAll(memory, 64);
        assertThat(calls).hasValue(1);
        waiting.await(memory, 64, 7, 1_000_000);
        assertThat(calls).as("a sleep, and perhaps the reason of its end").hasValueBetween(2, 3);
        assertThat(beside).hasValue(calls.get());
    }

    @Test
    void theTimePasses() {
        long start = System.nanoTime();

        assertThat(waiting.await(memory, 64, 0, 20_000_000)).isFalse();

        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(20_000_000);
    }

    @Test
    void sleepsAllocateNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int sleeps = 150; // so few that they are interpreted: a compiler may do garbage away
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < 3; round++) { // the first one links what is called
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < sleeps; i++) {
                waiting.await(memory, 64, 0, 1_000);
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }

        assertThat(allocated).isLessThan(8L * sleeps);
    }

    @Test
    void noTimeOnlyLooks() {
        assertThat(waiting.await(memory, 64, 0, 0)).isFalse();
        assertThat(waiting.await(memory, 64, 0, -5)).isFalse();
        assertThat(waiting.await(memory, 64, 1, 0)).isTrue();
    }

    @Test
    void allSleepersAreWoken() throws Exception {
        int sleepers = 4;
        CountDownLatch calls = new CountDownLatch(sleepers);
        waiting.onSystemCall(calls::countDown);
        AtomicInteger woken = new AtomicInteger();
        Thread[] threads = new Thread[sleepers];
        for (int i = 0; i < sleepers; i++) {
            threads[i] =
                    new Thread(
                            () -> {
                                if (waiting.await(memory, 128, 0, 20 * SECOND_NS)) {
                                    woken.incrementAndGet();
                                }
                            },
                            SLEEPER);
            threads[i].start();
        }
        calls.await();
        while (asleep() < sleepers) {
            assertThat(threads).as("all will sleep").allMatch(Thread::isAlive);
        }

        memory.setIntVolatile(128, 1);
        waiting.wakeAll(memory, 128);

        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(woken).hasValue(sleepers);
    }

    /** How many threads with the name sleep, as the kernel sees it. */
    private static long asleep() throws IOException {
        long asleep = 0;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                if (stat(task).contains("(" + SLEEPER + ") S")) {
                    asleep++;
                }
            }
        }
        return asleep;
    }

    private static String stat(Path task) {
        try {
            return Files.readString(task.resolve("stat"));
        } catch (IOException e) {
            return ""; // the thread has ended
        }
    }

    @Test
    void memoryWithoutAnAddressIsRefused() {
        SharedMemory heap = new SegmentMemory(MemorySegment.ofArray(new long[8]));

        assertThatThrownBy(() -> waiting.await(heap, 0, 0, SECOND_NS))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void closedMemoryIsRefused() {
        arena.close();

        assertThatThrownBy(() -> waiting.await(memory, 0, 0, SECOND_NS))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> waiting.wakeAll(memory, 0))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anUnalignedWordIsRefused() {
        assertThatThrownBy(() -> waiting.await(memory, 2, 0, SECOND_NS))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new WaitWord(memory, 2, waiting))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aSignalBeforeTheWaitIsNotLost() {
        WaitWord word = new WaitWord(memory, 0, waiting);

        int ticket = word.ticket();
        assertThat(word.signal()).as("nobody slept").isFalse();

        assertThat(word.await(ticket, 20 * SECOND_NS)).isTrue();
        assertThat(word.await(word.ticket(), 1_000_000)).isFalse();
        assertThat(word.signal()).as("somebody may sleep").isTrue();
        assertThat(word.signal()).as("and was woken").isFalse();
    }

    @Test
    void anOlderTicketIsNotHeldUpByANewerSleeper() {
        WaitWord word = new WaitWord(memory, 0, waiting);
        int older = word.ticket();
        word.signal();

        assertThat(word.await(word.ticket(), 1_000_000)).as("marks the word").isFalse();

        assertThat(word.await(older, 10 * SECOND_NS)).isTrue();
    }

    @Test
    void noSignalIsLostInARally() throws Exception {
        int rounds = 20_000;
        WaitWord ping = new WaitWord(memory, 256, waiting);
        WaitWord pong = new WaitWord(memory, 384, waiting);
        AtomicInteger timeouts = new AtomicInteger();
        Thread echo = new Thread(() -> rally(512, 520, ping, pong, rounds, false, timeouts));
        echo.start();

        rally(520, 512, pong, ping, rounds, true, timeouts);

        echo.join();
        assertThat(timeouts).hasValue(0);
    }

    // Each side waits for the other's count, then publishes its own; a lost wake-up is a time-out.
    private void rally(
            long otherCount,
            long ownCount,
            WaitWord own,
            WaitWord other,
            int rounds,
            boolean first,
            AtomicInteger timeouts) {
        for (int i = 1; i <= rounds; i++) {
            if (first) {
                memory.setLongRelease(ownCount, i);
                other.signal();
            }
            int ticket = own.ticket();
            while (memory.getLongAcquire(otherCount) < i) {
                if (!own.await(ticket, 20 * SECOND_NS)) {
                    timeouts.incrementAndGet();
                }
                ticket = own.ticket();
            }
            if (!first) {
                memory.setLongRelease(ownCount, i);
                other.signal();
            }
        }
    }
}
