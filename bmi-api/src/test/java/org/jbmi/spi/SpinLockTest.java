package org.jbmi.spi;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** One at a time is in the section, whatever the threads are and whoever loses its processor. */
@Timeout(60)
class SpinLockTest {
    private static final int THREADS = 16;
    private static final int ROUNDS = 5_000;

    private final SpinLock lock = new SpinLock();
    private long count;

    /** More threads than processors, so that holders lose theirs. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneAtATimeIsInTheSection(boolean isVirtual) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread.Builder builder = isVirtual ? Thread.ofVirtual() : Thread.ofPlatform();
            threads.add(builder.start(this::countUp));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(count).isEqualTo((long) THREADS * ROUNDS);
        assertThat(lock.isLocked()).isFalse();
    }

    private void countUp() {
        for (int i = 0; i < ROUNDS; i++) {
            lock.lock();
            try {
                count++;
            } finally {
                lock.unlock();
            }
        }
    }

    @Test
    void whoOnlyTriesNeitherWaitsNorSharesTheSection() throws InterruptedException {
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock()).as("it is held, be it by the same thread").isFalse();
        lock.unlock();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(Thread.ofPlatform().start(i % 2 == 0 ? this::countUp : this::tryToCountUp));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(count).isEqualTo((long) THREADS * ROUNDS);
        assertThat(lock.isLocked()).isFalse();
    }

    private void tryToCountUp() {
        for (int done = 0; done < ROUNDS; ) {
            if (lock.tryLock()) {
                count++;
                done++;
                lock.unlock();
            } else {
                Thread.yield();
            }
        }
    }

    /** Virtual threads that wait leave their carriers to the one that they wait for. */
    @Test
    void whoWaitsLetsTheHolderRun() throws InterruptedException {
        int carriers = Runtime.getRuntime().availableProcessors();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Thread holder =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    lock.lock();
                                    held.countDown();
                                    try {
                                        mayEnd.await(); // against the rules, to lose the carrier
                                    } catch (InterruptedException e) {
                                        throw new IllegalStateException(e);
                                    } finally {
                                        lock.unlock();
                                    }
                                });
        held.await();
        CountDownLatch waiting = new CountDownLatch(4 * carriers);
        List<Thread> waiters = new ArrayList<>();
        for (int i = 0; i < 4 * carriers; i++) {
            waiters.add(
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        waiting.countDown();
                                        lock.lock();
                                        count++;
                                        lock.unlock();
                                    }));
        }
        waiting.await();
        assertThat(lock.isLocked()).isTrue();
        mayEnd.countDown();
        holder.join();
        for (Thread waiter : waiters) {
            waiter.join();
        }
        assertThat(count).isEqualTo(4L * carriers);
    }

    @Test
    void anInterruptEndsNoWaitAndStays() throws InterruptedException {
        lock.lock();
        boolean[] stayed = new boolean[1];
        boolean[] waited = new boolean[1];
        AtomicBoolean isFree = new AtomicBoolean();
        Thread waiter =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    Thread.currentThread().interrupt();
                                    lock.lock();
                                    waited[0] = isFree.get();
                                    stayed[0] = Thread.currentThread().isInterrupted();
                                    count++;
                                    lock.unlock();
                                });
        while (waiter.isAlive() && !isInLock(waiter)) {
            Thread.onSpinWait();
        }
        isFree.set(true);
        lock.unlock();
        waiter.join();
        assertThat(count).isEqualTo(1);
        assertThat(waited[0]).as("it has the lock after this thread").isTrue();
        assertThat(stayed[0]).isTrue();
    }

    private static boolean isInLock(Thread waiter) {
        return Arrays.stream(waiter.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("lockSlowly"));
    }

    /** Also a thread that waits long makes no garbage. */
    @Test
    void waitingAllocatesNothing() throws InterruptedException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] allocated = new long[1];
        lock.lock();
        CountDownLatch begun = new CountDownLatch(1);
        Thread waiter =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    begun.countDown();
                                    long before = threads.getCurrentThreadAllocatedBytes();
                                    lock.lock();
                                    lock.unlock();
                                    allocated[0] =
                                            threads.getCurrentThreadAllocatedBytes() - before;
                                });
        begun.await();
        while (waiter.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait(); // until it parks
        }
        lock.unlock();
        waiter.join();
        assertThat(allocated[0]).isLessThan(1000);
    }
}
