package org.jbmi.zbmi.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jbmi.zbmi.protocol.ClientRequests.NOT_EAGER;

import static java.util.concurrent.TimeUnit.SECONDS;

import com.sun.management.ThreadMXBean;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Calls, notes, sleeps and failures. */
@Timeout(60)
class ChannelsTest extends ChannelsFixture {
    @Test
    void callsAllocateNothing() {
        Message m = new Message();
        assertAllocatesNothing("calls of a client", () -> testManyTimes(m, 20_000));
    }

    @Test
    void callsOfTheServerAllocateNothing() {
        assertAllocatesNothing("calls of the server", () -> callManyTimes(1, 10_000));
    }

    // While the compiler is not done there is garbage of its own, so the last of some rounds
    // counts.
    private static void assertAllocatesNothing(String what, Runnable round) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Long.MAX_VALUE;
        for (int i = 0; i < 20 && allocated >= 20_000; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            round.run();
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertThat(allocated).as("bytes for 20000 " + what).isLessThan(20_000);
    }

    private void testManyTimes(Message m, int times) {
        for (int i = 0; i < times; i++) {
            if (client.call(ClientRequests.test(m, 0, 0), m, LONG_NS) != PeerChannel.OK) {
                throw new AssertionError("call " + i);
            }
        }
    }

    @Test
    void repliesOfManyThreadsNeverCross() throws Exception {
        int threads = 16;
        int calls = 2000;
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> results = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int number = t;
                results.add(pool.submit(() -> callManyTimes(number, calls)));
            }
            for (Future<?> result : results) {
                result.get();
            }
        }
        daemon.inEngine(() -> assertThat(daemon.engine().pendingOperations()).isZero());
    }

    void callManyTimes(int number, int calls) {
        Message m = new Message();
        int generation = client.generation();
        for (int i = 0; i < calls; i++) {
            long reference = (long) number << 32 | i;
            ServerRequests.post(
                    m,
                    ServerRequests.POST_RECEIVE,
                    0,
                    reference,
                    1,
                    generation,
                    number,
                    ServerRequests.NEVER,
                    10);
            ServerRequests.place(m, expected(0), 0, 0);
            check(server.call(m, m, LONG_NS) == PeerChannel.OK, m, reference);
            check(m.kind() == ServerEvents.REGISTERED, m, reference);
            check(ServerEvents.operationId(m) == reference, m, reference);
            ServerRequests.cancel(m, 0, reference, ServerEvents.answer(m));
            check(server.call(m, m, LONG_NS) == PeerChannel.OK, m, reference);
            check(ServerEvents.operationId(m) == reference, m, reference);
            check(ServerEvents.cancelOutcome(m) == ServerEvents.CANCELLED, m, reference);
        }
    }

    // Allocates nothing where nothing is wrong.
    private static void check(boolean isRight, Message reply, long reference) {
        if (!isRight) {
            throw new AssertionError("operation " + reference + " was answered with " + reply);
        }
    }

    @Test
    void noWakeUpIsLostAmongThreadsThatSleepOnOneChannel() throws Exception {
        // Sleeps in slices hide a lost wake-up. These are so long that one is a failure.
        Waiting futex = new FutexWaiting();
        Waiting stubborn =
                new Waiting() {
                    @Override
                    public boolean await(
                            SharedMemory memory, long offset, int expected, long timeoutNs) {
                        return futex.await(memory, offset, expected, SECONDS.toNanos(30));
                    }

                    @Override
                    public void wakeAll(SharedMemory memory, long offset) {
                        futex.wakeAll(memory, offset);
                    }
                };
        AttachRequest request = daemon.request(PeerRole.CLIENT, stubborn);
        try (ClientLink sleeper = ShmClientLink.connect(request, clientEvents);
                ExecutorService pool = Executors.newFixedThreadPool(4)) {
            List<Future<?>> results = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                results.add(
                        pool.submit(
                                () -> {
                                    Message m = new Message();
                                    for (int i = 0; i < 3000; i++) {
                                        ClientRequests.test(m, 0, 0);
                                        sleeper.call(m, m, LONG_NS);
                                        if (i % 4 == 0) {
                                            // Longer than anybody spins: all go to sleep.
                                            LockSupport.parkNanos(100_000);
                                        }
                                    }
                                }));
            }
            for (Future<?> result : results) {
                result.get(25, SECONDS);
            }
        }
    }

    @Test
    void virtualThreadsMayCallToo() throws Exception {
        try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> results = new ArrayList<>();
            for (int t = 0; t < 50; t++) {
                int number = t;
                results.add(pool.submit(() -> callManyTimes(number, 50)));
            }
            for (Future<?> result : results) {
                result.get();
            }
        }
    }

    // A park ends at once while its thread is interrupted; the call would look again and again.
    @Test
    void aVirtualThreadThatWasInterruptedSleepsInItsCall() throws Exception {
        CountDownLatch isHeld = new CountDownLatch(1);
        CountDownLatch isSeen = new CountDownLatch(1);
        Thread holder =
                Thread.ofPlatform()
                        .start(
                                () ->
                                        daemon.inEngine(
                                                () -> {
                                                    isHeld.countDown();
                                                    await(isSeen);
                                                }));
        isHeld.await();
        Message m = new Message();
        AtomicBoolean isInterrupted = new AtomicBoolean();
        AtomicInteger result = new AtomicInteger();
        Thread calling =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    Thread.currentThread().interrupt();
                                    result.set(
                                            client.call(ClientRequests.test(m, 0, 0), m, LONG_NS));
                                    isInterrupted.set(Thread.currentThread().isInterrupted());
                                });
        while (calling.isAlive() && calling.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        isSeen.countDown();
        calling.join();
        holder.join();
        assertThat(result).as("it slept, and was answered").hasValue(PeerChannel.OK);
        assertThat(isInterrupted).isTrue();
    }

    @Test
    void notesThatOutrunTheEngineWaitForRoomAndAllArrive() throws Exception {
        // 16 slots a lane; 4 threads send far more, and each note is answered by an event.
        try (ExecutorService pool = Executors.newFixedThreadPool(4)) {
            List<Future<?>> results = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int number = t;
                results.add(
                        pool.submit(
                                () -> {
                                    Message m = new Message();
                                    for (int i = 1; i <= 5000; i++) {
                                        ClientRequests.test(m, -(number * 10_000L + i), 0);
                                        assertThat(client.note(m, LONG_NS))
                                                .isEqualTo(PeerChannel.OK);
                                    }
                                }));
            }
            for (Future<?> result : results) {
                result.get();
            }
        }
        for (int i = 0; i < 20_000; i++) {
            clientEvents.await(client, ClientEvents.TEST_REPLY);
        }
        assertThat(daemon.faults()).isEmpty();
    }

    @Test
    void aClientThatReadsNothingForAWhileGetsEverythingInTheEnd() {
        Message m = new Message();
        for (int i = 1; i <= 14; i++) {
            client.note(ClientRequests.test(m, -i, 0), LONG_NS);
        }
        for (int i = 0; i < 200; i++) {
            daemon.inEngine(
                    () -> {
                        for (int k = 0; k < 5; k++) {
                            daemon.send(1, ClientEvents.testReply(new Message(), -100, k));
                        }
                    });
        }
        for (int i = 0; i < 1014; i++) {
            clientEvents.await(client, ClientEvents.TEST_REPLY);
        }
    }

    @Test
    void aSleeperInASelectorIsWokenByAByte() throws Exception {
        try (Selector selector = Selector.open()) {
            client.selectable().register(selector, SelectionKey.OP_READ);
            Message m = new Message();
            client.note(ClientRequests.test(m, -1, 200), LONG_NS);
            int rounds = 0;
            while (clientEvents.queue.isEmpty() && rounds++ < 100) {
                if (client.progress() == 0 && client.prepareSleep(true)) {
                    selector.select(20_000);
                    client.finishSleep();
                }
            }
            assertThat(clientEvents.queue.poll().kind()).isEqualTo(ClientEvents.TEST_REPLY);
            assertThat(rounds).isLessThan(20);
            assertThat(selector.selectNow()).as("the byte has been drained").isLessThan(2);
        }
    }

    @Test
    void whoReadsTheByteOfALeadInASelectorWakesIt() throws Exception {
        try (Selector selector = Selector.open()) {
            client.selectable().register(selector, SelectionKey.OP_READ);
            assertThat(client.prepareSleep(true)).isTrue();
            client.note(ClientRequests.test(new Message(), -1, 0), LONG_NS);
            assertThat(selector.select(20_000)).as("the engine has written its byte").isOne();
            selector.selectedKeys().clear();
            // Another thread that finds nothing for long enough looks at the socket.
            for (int i = 0; i < 10_000; i++) {
                client.progress();
            }
            assertThat(selector.selectNow()).as("the byte is gone").isZero();
            assertThat(clientEvents.leadWanted.get()).isOne();
            client.finishSleep();
        }
    }

    @Test
    void wakeEndsASleepOrTheNextOne() throws Exception {
        client.wake();
        assertThat(client.prepareSleep(false)).isFalse();
        CompletableFuture<Void> sleeper =
                CompletableFuture.runAsync(
                        () -> {
                            while (!Thread.currentThread().isInterrupted()
                                    && client.progress() == 0) {
                                if (!client.prepareSleep(false)) {
                                    return;
                                }
                                client.sleep(LONG_NS);
                                client.finishSleep();
                            }
                        });
        client.wake();
        sleeper.get(20, SECONDS);
    }

    @Test
    void callsEndWhenTheDaemonHangsUp() throws Exception {
        ConcurrentLinkedQueue<Integer> results = new ConcurrentLinkedQueue<>();
        CompletableFuture<Void> caller =
                CompletableFuture.runAsync(
                        () -> {
                            Message m = new Message();
                            ClientRequests.send(m, 0, 1, 5, 10, 100_000, NOT_EAGER, 0);
                            results.add(client.call(m, m, LONG_NS));
                        });
        while (pending() == 0) {
            Thread.onSpinWait();
        }
        daemon.inEngine(() -> daemon.fault(1, org.jbmi.zbmi.engine.port.Fault.MALFORMED));
        caller.get(20, SECONDS);
        assertThat(results).containsExactly(PeerChannel.BROKEN);
        assertThat(clientEvents.broken.get()).isEqualTo("The daemon has ended the session.");
        assertThat(client.brokenReason()).isNotNull();
        assertThat(client.note(ClientRequests.test(new Message(), -1, 0), 0))
                .isEqualTo(PeerChannel.BROKEN);
        assertThat(client.progress()).isEqualTo(PeerChannel.BROKEN);
        assertThat(client.prepareSleep(false)).isFalse();
    }

    @Test
    void whatTheHostSentBeforeItEndedIsDispatchedAlsoIfAnotherThreadSeesTheEnd() throws Exception {
        CountDownLatch dispatches = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        clientEvents.meanwhile =
                () -> {
                    dispatches.countDown();
                    await(goesOn);
                };
        daemon.inEngine(
                () -> {
                    daemon.send(1, ClientEvents.testReply(new Message(), -100, 1));
                    daemon.send(1, ClientEvents.testReply(new Message(), -100, 2));
                });
        CompletableFuture<Integer> first = CompletableFuture.supplyAsync(client::progress);
        dispatches.await();
        daemon.inEngine(() -> daemon.fault(1, org.jbmi.zbmi.engine.port.Fault.MALFORMED));
        Thread second =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (client.brokenReason() == null) {
                                        client.checkHost();
                                    }
                                });
        while (second.isAlive() && second.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        goesOn.countDown();
        second.join();
        first.get(20, SECONDS);
        assertThat(clientEvents.queue).hasSize(2);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private int pending() {
        int[] count = new int[1];
        daemon.inEngine(() -> count[0] = daemon.engine().pendingOperations());
        return count[0];
    }

    @Test
    void aCallThatIsNotAnsweredInTimeEndsAndItsReplyComesAsAnEvent() {
        Message m = new Message();
        ClientRequests.send(m, 0, 1, 5, 10, 300, NOT_EAGER, 0);
        assertThat(client.call(m, m, 1_000_000)).isEqualTo(PeerChannel.TIMED_OUT);
        Message late = clientEvents.await(client, ClientEvents.PENDING);
        assertThat(ClientEvents.reference(late)).isEqualTo(1);
    }

    @Test
    void garbageInALaneEndsThatSessionAndNoOther() {
        Events others = new Events();
        try (ClientLink other = openClient(others)) {
            var area = daemon.map.session(1);
            for (int slot = 0; slot < area.laneSlots(); slot++) {
                long at = area.towardEngineOffset() + slot * 128L;
                long stamp = (long) client.generation() << 32 | 12345;
                daemon.segment.memory().setLongRelease(at, stamp);
            }
            Message m = new Message();
            client.note(ClientRequests.test(m, -1, 0), LONG_NS);
            long deadline = System.nanoTime() + LONG_NS;
            while (client.brokenReason() == null && System.nanoTime() < deadline) {
                client.call(ClientRequests.test(m, 0, 0), m, 100_000_000);
            }
            assertThat(client.brokenReason()).isNotNull();
            assertThat(daemon.faults()).containsExactly("1 BROKEN_LANE");
            assertThat(other.call(ClientRequests.test(m, 0, 0), m, LONG_NS))
                    .isEqualTo(PeerChannel.OK);
        }
    }

    @Test
    void whereNoDaemonIsTheAnswerIsEnetdown() {
        AttachRequest request = daemon.request(PeerRole.CLIENT);
        Path nowhere = request.socket().resolveSibling("nobody.sock");
        AttachRequest wrong =
                new AttachRequest(
                        nowhere,
                        request.role(),
                        request.transport(),
                        request.timeoutNs(),
                        request.waiting(),
                        request.clock(),
                        request.liveness());
        assertThatThrownBy(() -> PeerAttachment.connect(wrong))
                .isInstanceOfSatisfying(
                        BmiException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ENETDOWN))
                .hasMessageContaining("No daemon or server at");
    }
}
