package org.jbmi.zoid.common;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.SpinLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;

@Timeout(30)
class SessionGuardTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 20_000;

    private final SpinLock lock = new SpinLock();
    private final SessionGuard guard = new SessionGuard(lock);
    private long count;

    @Test
    void whoEntersWithTheLockIsInsideWithoutIt() {
        assertThat(guard.enterLocked()).isTrue();
        assertThat(lock.isLocked()).isTrue();
        guard.unlock();
        assertThat(guard.isIdle()).as("somebody is inside").isFalse();
        guard.exit();
        assertThat(guard.isIdle()).isTrue();
    }

    @Test
    void whoLeavesWithTheLockGivesItBack() {
        assertThat(guard.enter()).isTrue();
        assertThat(lock.isLocked()).isFalse();
        guard.lock();
        guard.exitLocked();
        assertThat(lock.isLocked()).isFalse();
        assertThat(guard.isIdle()).isTrue();
    }

    @Test
    void nobodyEntersOneThatIsShut() {
        assertThat(guard.enter()).isTrue();
        assertThat(guard.shut()).isTrue();
        assertThat(guard.shut()).as("again").isFalse();
        assertThat(guard.isEmpty()).as("somebody is still inside").isFalse();
        assertThat(guard.enter()).isFalse();
        assertThat(guard.enterLocked()).isFalse();
        assertThat(lock.isLocked()).as("who was refused has not got the lock").isFalse();
        guard.exit();
        assertThat(guard.isEmpty()).isTrue();
    }

    /** One half, whose sessions follow each other. */
    @Test
    void theNextSessionHasTheSameLockAndACountOfItsOwn() {
        SessionGuard next = new SessionGuard(lock);
        assertThat(guard.enter()).isTrue();
        assertThat(next.isIdle()).isTrue();
        assertThat(next.enterLocked()).isTrue();
        assertThat(lock.isLocked()).isTrue();
        next.exitLocked();
        guard.exit();
    }

    @Test
    void whoShutsItWaitsForAllWhoAreInsideAndTheySeeEachOther() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(Thread.ofPlatform().start(this::comeAndGo));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(count).isEqualTo(2L * THREADS * ROUNDS);
        guard.shut();
        long endNs = System.nanoTime() + 20_000_000_000L;
        assertThat(guard.awaitEmpty(NanoClock.SYSTEM, endNs, () -> {})).isTrue();
    }

    @Test
    void itSleepsBetweenItsLooksAlsoIfItsThreadIsInterrupted() {
        assertThat(guard.enter()).isTrue();
        guard.shut();
        int[] looks = new int[1];
        Thread.currentThread().interrupt();
        long endNs = System.nanoTime() + 50_000_000;
        assertThat(guard.awaitEmpty(NanoClock.SYSTEM, endNs, () -> looks[0]++)).isFalse();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(looks[0]).as("looks every 0.1 ms for 50 ms").isLessThan(2000);
    }

    private void comeAndGo() {
        for (int i = 0; i < ROUNDS; i++) {
            if (guard.enterLocked()) {
                count++;
                guard.unlock();
                guard.lock();
                count++;
                guard.exitLocked();
            }
        }
    }
}
