package org.jbmi.zbmi.link;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.concurrent.TimeUnit.SECONDS;

import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

@Timeout(60)
class PeerSleepTest {
    private static final long WORD = 128;

    private final Arena arena = Arena.ofShared();
    private final SharedMemory memory = new SegmentMemory(arena.allocate(256, 128));
    private final Waiting waiting = new FutexWaiting();
    private final PeerSleep sleep = new PeerSleep(memory, WORD, waiting);

    @AfterEach
    void close() {
        arena.close();
    }

    private int bits() {
        return memory.getIntVolatile(WORD) & 3;
    }

    @Test
    void theBitsSayHowThreadsSleepAndThoseWhoStayKeepTheirs() {
        sleep.enter(PeerSleep.ON_WORD);
        sleep.enter(PeerSleep.IN_SELECTOR);
        sleep.enter(PeerSleep.ON_WORD);
        assertThat(bits()).isEqualTo(3);
        sleep.leave(PeerSleep.ON_WORD);
        assertThat(bits()).isEqualTo(3);
        sleep.leave(PeerSleep.ON_WORD);
        assertThat(bits()).isEqualTo(PeerSleep.IN_SELECTOR);
        sleep.leave(PeerSleep.IN_SELECTOR);
        assertThat(bits()).isZero();
    }

    @Test
    void aSignalTakesTheBitsAndTellsOfTheSelector() {
        assertThat(PeerSleep.signal(memory, WORD, waiting)).isFalse();
        sleep.enter(PeerSleep.ON_WORD);
        assertThat(PeerSleep.signal(memory, WORD, waiting)).isFalse();
        assertThat(bits()).isZero();
        sleep.enter(PeerSleep.IN_SELECTOR);
        assertThat(PeerSleep.signal(memory, WORD, waiting)).isTrue();
        assertThat(PeerSleep.signal(memory, WORD, waiting)).isFalse();
        sleep.leave(PeerSleep.ON_WORD);
        assertThat(bits()).as("what the engine took stays away").isZero();
    }

    @Test
    void aThreadWhoseBitWasTakenAndSetAnewByAnotherDoesNotSleep() {
        int value = sleep.enter(PeerSleep.ON_WORD);
        PeerSleep.signal(memory, WORD, waiting);
        sleep.enter(PeerSleep.ON_WORD);
        assertThat(isWoken(value)).isTrue();
    }

    @Test
    void aWakeOfOnesOwnLeavesTheSelectorsBit() {
        int value = sleep.enter(PeerSleep.ON_WORD);
        sleep.enter(PeerSleep.IN_SELECTOR);
        sleep.wake();
        assertThat(bits()).isEqualTo(PeerSleep.IN_SELECTOR);
        assertThat(isWoken(value)).isTrue();
    }

    /** Whether a sleep ends before its time, as {@link PeerSleep#await} sleeps. */
    private boolean isWoken(int value) {
        return waiting.await(memory, WORD, value, SECONDS.toNanos(20));
    }

    @Test
    void noSignalIsLostBetweenManySleepers() throws Exception {
        // Each sleeper waits until the number published is its own. A lost wake-up shows as a sleep
        // that nobody ends.
        int sleepers = 4;
        long rounds = 4000;
        AtomicLong published = new AtomicLong();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int s = 0; s < sleepers; s++) {
            int own = s;
            all.add(
                    CompletableFuture.runAsync(
                            () -> {
                                for (long n = own + 1; n <= rounds; n += sleepers) {
                                    await(published, n);
                                    if (n < rounds) {
                                        publish(published, n + 1);
                                    }
                                }
                            },
                            task -> Thread.ofPlatform().start(task)));
        }
        publish(published, 1);
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(50, SECONDS);
        assertThat(published.get()).isEqualTo(rounds);
    }

    private void publish(AtomicLong published, long number) {
        published.set(number);
        PeerSleep.signal(memory, WORD, waiting);
    }

    private void await(AtomicLong published, long number) {
        while (published.get() < number) {
            int value = sleep.enter(PeerSleep.ON_WORD);
            if (published.get() < number) {
                assertThat(isWoken(value)).as("woken for %d", number).isTrue();
            }
            sleep.leave(PeerSleep.ON_WORD);
        }
    }
}
