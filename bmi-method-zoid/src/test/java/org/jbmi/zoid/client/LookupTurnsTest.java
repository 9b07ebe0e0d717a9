package org.jbmi.zoid.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zoid.common.Seams;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Threads of one client that look up at once wait together, each for its own time. */
@Timeout(60)
class LookupTurnsTest {
    private static final String MINUTE_MS = "60000";

    private final AtomicLong nowNs = new AtomicLong(NanoClock.SYSTEM.nanoTime());
    private final CountDownLatch isFirstWaiting = new CountDownLatch(1);
    private final CountDownLatch isFirstOver = new CountDownLatch(1);
    private final List<Long> waitsMs = new ArrayList<>();
    private ZoidClient client;
    private FutureTask<BmiException> first;

    /** The first one looks for a host until the test ends that. */
    private void begin(String timeoutMs) throws InterruptedException {
        Seams real = Seams.production();
        client =
                new ZoidClient(
                        new HostWithKnobs(Map.of("zoid.attachTimeoutMs", timeoutMs)),
                        (waitNs, isOver, events) -> attempt(waitNs),
                        new Seams(nowNs::get, real.waiting(), real.liveness(), real.parking()));
        first = new FutureTask<>(this::lookup);
        start(first);
        isFirstWaiting.await();
    }

    private ClientLink attempt(long waitNs) {
        waitsMs.add(TimeUnit.NANOSECONDS.toMillis(waitNs));
        isFirstWaiting.countDown();
        try {
            isFirstOver.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts it", e);
        }
        throw new BmiException(ErrorCode.ENETDOWN, "Nobody listens.");
    }

    private BmiException lookup() {
        try {
            client.lookup("zoid://");
        } catch (BmiException e) {
            return e;
        }
        throw new AssertionError("there is no host");
    }

    private static Thread start(Runnable body) {
        return Thread.ofPlatform().daemon().start(body);
    }

    private static Thread waiting(FutureTask<?> body) {
        Thread thread = start(body);
        while (thread.getState() != Thread.State.WAITING
                && thread.getState() != Thread.State.TIMED_WAITING) {
            assertThat(thread.isAlive()).as("it has ended and did not wait").isTrue();
            Thread.yield();
        }
        return thread;
    }

    @AfterEach
    void close() throws Exception {
        isFirstOver.countDown();
        assertThat(first.get(20, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.ENETDOWN);
        client.close();
    }

    @Test
    void aLookupWhoseTimeIsOverDoesNotWaitForThatOfAnotherThread() throws Exception {
        begin("50");
        FutureTask<BmiException> second = new FutureTask<>(this::lookup);
        start(second);
        BmiException failure = second.get(20, TimeUnit.SECONDS);
        assertThat(failure)
                .as("a slow host has 5 s for its answer to the first")
                .hasMessageContaining("waited 5050 ms")
                .extracting(BmiException::code)
                .isEqualTo(ErrorCode.ENETDOWN);
        assertThat(first).isNotDone();
        assertThat(waitsMs).containsExactly(50L);
    }

    @Test
    void anInterruptEndsTheWaitForAnotherThread() throws Exception {
        begin(MINUTE_MS);
        boolean[] isInterrupted = new boolean[1];
        FutureTask<BmiException> second =
                new FutureTask<>(
                        () -> {
                            BmiException failure = lookup();
                            isInterrupted[0] = Thread.currentThread().isInterrupted();
                            return failure;
                        });
        waiting(second).interrupt();
        assertThat(second.get(20, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.EINTR);
        assertThat(isInterrupted[0]).as("it stays interrupted").isTrue();
        assertThat(first).isNotDone();
    }

    @Test
    void theWaitForAnotherThreadIsPartOfTheTime() throws Exception {
        begin(MINUTE_MS);
        FutureTask<BmiException> second = new FutureTask<>(this::lookup);
        waiting(second);
        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(20));
        isFirstOver.countDown();
        assertThat(second.get(20, TimeUnit.SECONDS))
                .hasMessageContaining("Nobody listens.")
                .hasMessageContaining("20000 ms")
                .extracting(BmiException::code)
                .isEqualTo(ErrorCode.ENETDOWN);
        assertThat(waitsMs).containsExactly(60_000L, 40_000L);
    }

    /** It may be the interrupt of the other thread that has ended its attempt. */
    @Test
    void oneWhoseTimeIsOverAtItsTurnStillLooksOnce() throws Exception {
        begin(MINUTE_MS);
        FutureTask<BmiException> second = new FutureTask<>(this::lookup);
        waiting(second);
        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(61));
        isFirstOver.countDown();
        assertThat(second.get(20, TimeUnit.SECONDS)).hasMessageContaining("61000 ms");
        assertThat(waitsMs).containsExactly(60_000L, 0L);
    }
}
