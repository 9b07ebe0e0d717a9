package org.jbmi.zbmi.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Nobody's message is left lying, whoever is or is not looking after the engine. */
@Timeout(60)
class KeeperTest {
    private static final int ROUNDS = 3000;

    @TempDir Path temporary;

    private static void sendUnexpected(ClientLink client, Message message) {
        ClientRequests.sendUnexpected(message, 0, 1, 7, 0, 8, 20_000, ClientRequests.INLINE, 0);
        message.put(4711);
        int result = client.call(message, message, DirectWorld.LONG_NS);
        assertThat(result).isEqualTo(PeerChannel.OK);
        assertThat(message.kind()).isEqualTo(ClientEvents.COMPLETED);
    }

    @Test
    void servesWhileNobodyIsInACall() {
        try (DirectWorld world = new DirectWorld(temporary)) {
            ClientLink client = world.client();
            Message message = new Message();
            for (int i = 1; i <= 100; i++) {
                sendUnexpected(client, message);
                int sent = i;
                DirectWorld.await("it is delivered", () -> world.unexpected.get() == sent);
                assertThat(world.freeAll()).isEqualTo(1);
            }
            assertThat(world.count("zbmi.host.direct")).isEqualTo(1);
            assertThat(world.count("zbmi.faults")).isZero();
        }
    }

    @Test
    void takesOverWhenThoseWhoLedStopCalling() {
        try (DirectWorld world = new DirectWorld(temporary)) {
            ClientLink client = world.client();
            Message message = new Message();
            for (int i = 1; i <= 30; i++) {
                for (int spin = 0; spin < 1000; spin++) {
                    world.server.progress();
                }
                sendUnexpected(client, message);
                world.freeAll();
            }
        }
    }

    @Test
    void mindsDeadlinesAlone() {
        try (DirectWorld world = new DirectWorld(temporary)) {
            ClientLink client = world.client();
            Message message = new Message();
            long begin = System.nanoTime();
            ClientRequests.receive(message, 0, 5, 3, 100, 150, ClientRequests.NO_DATA_ROOM);
            assertThat(client.call(message, message, DirectWorld.LONG_NS))
                    .isEqualTo(PeerChannel.OK);
            long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            assertThat(message.kind()).isEqualTo(ClientEvents.PENDING);
            assertThat(tookMs).isBetween(140L, 10_000L);
        }
    }

    /** Begins long sleeps on the word of a client, until its session has ended. */
    private static Thread sleeper(ClientLink client) throws InterruptedException {
        CountDownLatch isAnnounced = new CountDownLatch(1);
        Thread sleeper =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (client.brokenReason() == null) {
                                        boolean sleeps = client.prepareSleep(false);
                                        if (sleeps) {
                                            isAnnounced.countDown();
                                            client.sleep(DirectWorld.LONG_NS);
                                            client.finishSleep();
                                        }
                                    }
                                });
        isAnnounced.await();
        return sleeper;
    }

    private static void expectEnd(Thread sleeper, ClientLink client) throws InterruptedException {
        sleeper.join(DirectWorld.LONG_NS / 2_000_000);
        assertThat(sleeper.isAlive()).as("it sleeps on").isFalse();
        assertThat(client.brokenReason()).isNotNull();
    }

    @Test
    void aClientThatSleepsIsWokenWhenTheServerCloses() throws InterruptedException {
        DirectWorld world = new DirectWorld(temporary);
        ClientLink client = world.client();
        Thread sleeper = sleeper(client);
        world.close(client);
        expectEnd(sleeper, client);
        assertThat(client.brokenCode()).isEqualTo(ErrorCode.EPIPE);
        client.close();
    }

    @Test
    void aClientThatSleepsIsWokenWhenItsSessionIsEnded() throws InterruptedException {
        try (DirectWorld world = new DirectWorld(temporary)) {
            ClientLink client = world.client();
            Thread sleeper = sleeper(client);
            assertThat(client.note(new Message().start(99), DirectWorld.LONG_NS))
                    .isEqualTo(PeerChannel.OK);
            expectEnd(sleeper, client);
            assertThat(world.count("zbmi.faults")).isEqualTo(1);
        }
    }

    @Test
    void aClientThatSleepsIsWokenWhenItsSocketIsCutOff() throws Exception {
        try (DirectWorld world = new DirectWorld(temporary)) {
            ClientLink client = world.client();
            Thread sleeper = sleeper(client);
            world.babble();
            expectEnd(sleeper, client);
        }
    }

    @Test
    void aClientThatSleepsIsWokenWhenTheEngineFails() throws InterruptedException {
        DirectWorld world = new DirectWorld(temporary);
        world.mayBreak = true;
        ClientLink client = world.client();
        Thread sleeper = sleeper(client);
        world.server.end("It ends in a test.");
        expectEnd(sleeper, client);
        world.close();
    }

    @Test
    void costsNothingWhileNothingComes() throws InterruptedException {
        try (DirectWorld world = new DirectWorld(temporary)) {
            sendUnexpected(world.client(), new Message());
            for (int i = 0; i < 100; i++) {
                world.server.progress();
            }
            TimeUnit.MILLISECONDS.sleep(50);
            // A keeper that ticked would need 1000 turns of some 10 us in each second.
            // A busy machine may charge it for more than its own work, but not in all of them.
            long leastUs = keeperUsInASecond();
            for (int i = 1; i < 5 && leastUs >= 2000; i++) {
                leastUs = Math.min(leastUs, keeperUsInASecond());
            }
            assertThat(leastUs).isLessThan(2000);
        }
    }

    private static long keeperUsInASecond() throws InterruptedException {
        long beforeNs = keeperCpuNs();
        TimeUnit.MILLISECONDS.sleep(1000);
        return TimeUnit.NANOSECONDS.toMicros(keeperCpuNs() - beforeNs);
    }

    @Test
    void aPeerThatTakesTheSleepWordDelaysNobodyForLong() {
        try (DirectWorld world = new DirectWorld(temporary, TimeUnit.MILLISECONDS.toNanos(100))) {
            ClientLink client = world.client();
            Message message = new Message();
            for (int i = 0; i < 5; i++) {
                sendUnexpected(client, message);
                world.freeAll();
                DirectWorld.await("the keeper sleeps", world::takeSleepWord);
            }
        }
    }

    private static long keeperCpuNs() {
        return ManagementFactory.getThreadMXBean()
                .getThreadCpuTime(DirectWorld.keeper().threadId());
    }

    @Test
    void aSleeperOnTheWordIsWokenByItsClient() throws Exception {
        try (DirectWorld world = new DirectWorld(temporary)) {
            ClientLink client = world.client();
            Message message = new Message();
            for (int i = 1; i <= 50; i++) {
                CompletableFuture<Boolean> asleep =
                        CompletableFuture.supplyAsync(
                                () -> {
                                    boolean slept = world.server.prepareSleep(false);
                                    if (slept) {
                                        world.server.sleep(DirectWorld.LONG_NS);
                                        world.server.finishSleep();
                                    }
                                    return slept;
                                });
                while (!asleep.isDone()) {
                    sendUnexpected(client, message); // one may come before the thread sleeps
                    world.freeAll();
                }
            }
        }
    }

    @Test
    void wakeEndsASleepAtOnceOrTheNextOne() throws Exception {
        try (DirectWorld world = new DirectWorld(temporary)) {
            for (int i = 0; i < 200; i++) {
                CompletableFuture<Void> sleeper =
                        CompletableFuture.runAsync(
                                () -> {
                                    if (world.server.prepareSleep(false)) {
                                        world.server.sleep(DirectWorld.LONG_NS);
                                        world.server.finishSleep();
                                    }
                                });
                LockSupport.parkNanos(i * 1000L);
                world.server.wake();
                sleeper.get(10, TimeUnit.SECONDS);
            }
        }
    }

    /**
     * A server thread that spins, sleeps on the word, sleeps elsewhere, posts, or stays away, in an
     * order drawn by lot, and clients that call without a pause. A message that nobody saw would
     * cost a call 20 s.
     */
    private void stress(int clientCount, int rounds) throws Exception {
        long seed = Long.getLong("jbmi.keeper.seed", System.nanoTime());
        System.out.println("KeeperTest -Djbmi.keeper.seed=" + seed);
        try (DirectWorld world = new DirectWorld(temporary)) {
            AtomicLong slowestNs = new AtomicLong();
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (int c = 0; c < clientCount; c++) {
                ClientLink client = world.client();
                Random random = new Random(seed + c + 1);
                callers.add(
                        CompletableFuture.runAsync(
                                () -> callAlot(client, rounds, random, slowestNs)));
            }
            CompletableFuture<Void> all =
                    CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new));
            all.whenComplete((nothing, failure) -> world.server.wake());
            Random random = new Random(seed);
            while (!all.isDone()) {
                serve(world, random);
                world.freeAll();
            }
            all.get(1, TimeUnit.SECONDS);
            DirectWorld.await(
                    "all are delivered",
                    () -> {
                        world.freeAll();
                        return world.unexpected.get() == (long) clientCount * rounds;
                    });
            assertThat(slowestNs.get()).isLessThan(DirectWorld.LONG_NS / 2);
            assertThat(world.count("zbmi.faults")).isZero();
            System.out.println("slowest call: " + slowestNs.get() / 1000 + " us");
        }
    }

    private static void callAlot(
            ClientLink client, int rounds, Random random, AtomicLong slowestNs) {
        Message message = new Message();
        for (int i = 0; i < rounds; i++) {
            long begin = System.nanoTime();
            sendUnexpected(client, message);
            long tookNs = System.nanoTime() - begin;
            slowestNs.accumulateAndGet(tookNs, Math::max);
            if (random.nextInt(16) == 0) {
                LockSupport.parkNanos(random.nextInt(300_000));
            }
        }
    }

    private static void serve(DirectWorld world, Random random) {
        switch (random.nextInt(6)) {
            case 0 -> {
                for (int i = random.nextInt(300); i >= 0; i--) {
                    world.server.progress();
                }
            }
            case 1 -> sleep(world, false);
            case 2 -> sleep(world, true);
            case 3 -> {
                int outcome = world.door.cancel(99, 12345, true);
                assertThat(outcome).isEqualTo(ServerEvents.UNKNOWN);
            }
            case 4 -> LockSupport.parkNanos(random.nextInt(2_500_000));
            default -> {
                // Straight to the next.
            }
        }
    }

    private static void sleep(DirectWorld world, boolean elsewhere) {
        if (world.server.prepareSleep(elsewhere)) {
            if (elsewhere) {
                LockSupport.parkNanos(100_000);
            } else {
                world.server.sleep(DirectWorld.LONG_NS); // a client's ring ends it, or the end
            }
            world.server.finishSleep();
        }
    }

    @Test
    void nothingIsLostBetweenCallersKeeperAndDoorbellWithOneClient() throws Exception {
        stress(1, ROUNDS);
    }

    @Test
    void nothingIsLostBetweenCallersKeeperAndDoorbellWithThreeClients() throws Exception {
        stress(3, ROUNDS);
    }

    @Test
    void aSecondHostIsRefusedInWordsAndNothingIsLeft() throws IOException {
        Path other = temporary;
        try (DirectWorld world = new DirectWorld(other)) {
            assertThat(world.directory.socket()).exists();
            assertThatThrownBy(() -> new DirectWorld(other))
                    .isInstanceOf(BmiException.class)
                    .hasMessageContaining(Long.toString(ProcessHandle.current().pid()))
                    .extracting(e -> ((BmiException) e).code())
                    .isEqualTo(ErrorCode.EBUSY);
        }
        assertThat(DirectWorld.keeper()).isNull();
        try (Stream<Path> left = Files.walk(temporary)) {
            assertThat(left.map(file -> temporary.relativize(file).toString()))
                    .containsExactlyInAnyOrder("", "run", "run/daemon.lock");
        }
    }
}
