package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.Expect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Interrupt and close end every wait, on both sides and on threads of both kinds, and soon: in most
 * attempts all of them within a fifth of a second, and in none of them after ten seconds. A machine
 * that is busy gives the threads no processor in some attempts.
 */
@Timeout(120)
class WakeTest {

    /** An interrupt does not end a sleep on a word, which has slices of a tenth of a second. */
    private static final long SOON_NS = 200_000_000;

    private static final long AT_LAST_NS = 10_000_000_000L;
    private static final int LONG_MS = 100_000;

    private ZoidWorld world = new ZoidWorld();

    @AfterEach
    void close() {
        world.close();
    }

    private interface Wait {
        void forLong();
    }

    /** A thread in a wait, and when it came back. */
    private record Waiter(Thread thread, CompletableFuture<Long> backNs) {
        static Waiter start(boolean isVirtual, Wait wait) {
            CompletableFuture<Long> back = new CompletableFuture<>();
            Runnable body =
                    () -> {
                        try {
                            waitOrHearOfClose(wait);
                            back.complete(System.nanoTime());
                        } catch (RuntimeException | Error e) {
                            back.completeExceptionally(e);
                        }
                    };
            Thread thread =
                    isVirtual ? Thread.ofVirtual().start(body) : Thread.ofPlatform().start(body);
            return new Waiter(thread, back);
        }

        // A thread that comes to its wait after the close is told so.
        private static void waitOrHearOfClose(Wait wait) {
            try {
                wait.forLong();
            } catch (BmiException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.EINVAL);
            }
        }

        long tookNs(long sinceNs) throws Exception {
            return backNs.get(20, TimeUnit.SECONDS) - sinceNs;
        }
    }

    private Pair begin(String setup) {
        world.close();
        boolean isSocket = setup.equals("socket");
        world = new ZoidWorld(isSocket ? "daemon" : setup);
        if (isSocket) {
            world.daemonKnob("zbmi.gatewayPort", "0");
        }
        if (!setup.equals("embedded")) {
            world.startDaemon();
        }
        Bmi server = world.server();
        Bmi client = isSocket ? world.socketClient() : world.client();
        return Pair.of(server, server.openContext(), client);
    }

    private static List<Waiter> waiters(Pair pair) {
        List<Waiter> waiters = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            boolean isVirtual = i % 2 == 1;
            MemorySegment buffer = MemorySegment.ofArray(new byte[10]);
            long ofServer = pair.serverContext().postReceive(pair.toClient(), buffer, i);
            long ofClient = pair.clientContext().postReceive(pair.toServer(), buffer, i);
            waiters.add(Waiter.start(isVirtual, () -> test(pair.serverContext(), ofServer)));
            waiters.add(Waiter.start(isVirtual, () -> test(pair.clientContext(), ofClient)));
            waiters.add(
                    Waiter.start(
                            isVirtual,
                            () ->
                                    pair.server()
                                            .testUnexpected(
                                                    UnexpectedMessages.ofCapacity(1), LONG_MS)));
        }
        return waiters;
    }

    private static void test(CompletionContext context, long id) {
        context.test(id, Completions.ofCapacity(1), LONG_MS);
    }

    /** Each attempt returns how long the slowest of its threads took, in nanoseconds. */
    private static void expectMostlySoon(Callable<Long> attempt) throws Exception {
        Expect.mostlySoon(
                () -> {
                    long tookNs = attempt.call();
                    assertThat(tookNs).isLessThan(AT_LAST_NS);
                    return tookNs;
                },
                SOON_NS,
                "each wait");
    }

    // As long as it takes until all of them sleep, more or less.
    private static void settle() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(30);
    }

    @ParameterizedTest
    @ValueSource(strings = {"daemon", "direct", "embedded", "socket"})
    void anInterruptEndsEveryWaitSoon(String setup) throws Exception {
        Pair pair = begin(setup);
        expectMostlySoon(
                () -> {
                    List<Waiter> waiters = waiters(pair);
                    settle();
                    long slowestNs = 0;
                    for (Waiter waiter : waiters) {
                        long sinceNs = System.nanoTime();
                        waiter.thread().interrupt();
                        slowestNs = Math.max(slowestNs, waiter.tookNs(sinceNs));
                    }
                    return slowestNs;
                });
        pair.exchange(99, 1000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"daemon", "direct", "embedded", "socket"})
    void aCloseEndsEveryWaitSoon(String setup) throws Exception {
        expectMostlySoon(
                () -> {
                    Pair pair = begin(setup);
                    List<Waiter> waiters = waiters(pair);
                    settle();
                    long sinceNs = System.nanoTime();
                    Thread closer = Thread.ofPlatform().start(pair.client()::close);
                    pair.server().close();
                    closer.join();
                    long slowestNs = 0;
                    for (Waiter waiter : waiters) {
                        slowestNs = Math.max(slowestNs, waiter.tookNs(sinceNs));
                    }
                    return slowestNs;
                });
    }
}
