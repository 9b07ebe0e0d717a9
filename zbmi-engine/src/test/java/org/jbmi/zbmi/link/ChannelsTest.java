package org.jbmi.zbmi.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jbmi.zbmi.protocol.ClientRequests.NOT_EAGER;

import static java.util.concurrent.TimeUnit.SECONDS;

import com.sun.management.ThreadMXBean;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.channel.CommandChannel;
import org.jbmi.zbmi.channel.CommandChannelProvider;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.PeerRole;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;

/** Both kinds of channel against the engine, in one process but through everything that is real. */
@Timeout(60)
class ChannelsTest {
    private static final long LONG_NS = SECONDS.toNanos(20);

    /** Keeps what comes by itself. */
    private static final class Events implements PeerEvents {
        final BlockingQueue<Message> queue = new LinkedBlockingQueue<>();
        final AtomicReference<String> broken = new AtomicReference<>();

        @Override
        public void onEvent(Message message) {
            Message copy = new Message();
            copy.copyFrom(message);
            queue.add(copy);
        }

        @Override
        public void onBroken(String reason) {
            broken.set(reason);
        }

        /** The next event of a kind, others are left out; the caller makes the progress. */
        Message await(PeerChannel channel, int kind) {
            long deadline = System.nanoTime() + LONG_NS;
            while (System.nanoTime() < deadline) {
                Message next = queue.poll();
                if (next != null && next.kind() == kind) {
                    return next;
                }
                if (next == null && channel.progress() == 0 && channel.prepareSleep(false)) {
                    channel.sleep(LONG_NS);
                    channel.finishSleep();
                }
            }
            throw new AssertionError("no event of kind " + kind);
        }
    }

    private final Arena arena = Arena.ofShared();
    private final Events serverEvents = new Events();
    private final Events clientEvents = new Events();
    private MiniDaemon daemon;
    private CommandChannel server;
    private ClientLink client;

    @BeforeEach
    void attach() throws Exception {
        daemon = new MiniDaemon(16);
        server = openServer();
        client = openClient(clientEvents);
    }

    private CommandChannel openServer() {
        CommandChannelProvider ring =
                ServiceLoader.load(CommandChannelProvider.class).findFirst().orElseThrow();
        assertThat(ring.name()).isEqualTo("ring");
        return ring.open(PeerAttachment.connect(daemon.request(PeerRole.SERVER)), serverEvents);
    }

    private ClientLink openClient(PeerEvents events) {
        ClientLinkProvider shm =
                ServiceLoader.load(ClientLinkProvider.class).findFirst().orElseThrow();
        assertThat(shm.name()).isEqualTo("shm");
        return shm.open(PeerAttachment.connect(daemon.request(PeerRole.CLIENT)), events);
    }

    @AfterEach
    void detach() throws Exception {
        client.close();
        server.close();
        daemon.close();
        arena.close();
    }

    private Message post(int kind, long reference, int tag, long bytes, long offset) {
        Message m = new Message();
        int generation = client.welcome().generation();
        ServerRequests.post(m, kind, 0, reference, 1, generation, tag, bytes);
        ServerRequests.place(m, offset, 0, 0);
        assertThat(server.call(m, m, LONG_NS)).isEqualTo(PeerChannel.OK);
        return m;
    }

    private long expected(long at) {
        return daemon.map.expectedOffset() + at;
    }

    @Test
    void aLongMessageGoesFromClientToServerWithoutTouchingAnyOtherByte() {
        long size = 100_000;
        daemon.segment.segment().asSlice(expected(0), size + 64).fill((byte) 7);
        Message m = post(ServerRequests.POST_RECEIVE, 70, 5, size, expected(32));
        assertThat(m.kind()).isEqualTo(ServerEvents.REGISTERED);
        MemorySegment source = arena.allocate(size);
        source.fill((byte) 9);
        ClientRequests.send(m, 0, 1, 5, size, 0, NOT_EAGER, 0);
        assertThat(client.call(m, m, LONG_NS)).isEqualTo(PeerChannel.OK);
        assertThat(m.kind()).isEqualTo(ClientEvents.GRANT);
        GrantMover mover = client.newMover();
        assertThat(mover.begin(m)).isTrue();
        assertThat(mover.write(source, 0, 60)).isTrue();
        assertThat(mover.write(source, 60, size - 60)).isTrue();
        assertThat(mover.write(source, 0, 1)).isFalse();
        ClientRequests.done(m, ClientEvents.grantId(m), size, 0);
        assertThat(client.note(m, LONG_NS)).isEqualTo(PeerChannel.OK);
        Message completion = serverEvents.await(server, ServerEvents.COMPLETION);
        assertThat(ServerEvents.completedOperation(completion)).isEqualTo(70);
        assertThat(ServerEvents.completionBytes(completion)).isEqualTo(size);
        MemorySegment all = daemon.segment.segment();
        assertThat(all.get(ValueLayout.JAVA_BYTE, expected(31))).isEqualTo((byte) 7);
        assertThat(all.asSlice(expected(32), size).mismatch(source)).isEqualTo(-1);
        assertThat(all.get(ValueLayout.JAVA_BYTE, expected(32 + size))).isEqualTo((byte) 7);
    }

    @Test
    void aMessageGoesFromServerToClient() {
        long size = 5000;
        daemon.segment.segment().asSlice(expected(0), size).fill((byte) 3);
        Message m = post(ServerRequests.POST_SEND, 70, 5, size, expected(0));
        ClientRequests.receive(m, 0, 1, 5, size + 10, 0);
        client.call(m, m, LONG_NS);
        assertThat(ClientEvents.grantBytes(m)).isEqualTo(size);
        MemorySegment target = arena.allocate(size);
        GrantMover mover = client.newMover();
        assertThat(mover.begin(m)).isTrue();
        assertThat(mover.read(target, 0, size)).isTrue();
        assertThat(mover.read(target, 0, 1)).isFalse();
        client.note(ClientRequests.done(m, ClientEvents.grantId(m), size, 0), LONG_NS);
        serverEvents.await(server, ServerEvents.COMPLETION);
        assertThat(target.asSlice(0, size).mismatch(arena.allocate(size).fill((byte) 3)))
                .isEqualTo(-1);
    }

    @Test
    void anEagerMessageIsTakenWhileTheClientIsAway() {
        int slot = client.takeEagerSlot();
        MemorySegment source = arena.allocate(1000).fill((byte) 4);
        client.putEager(slot, 0, source, 0, 200);
        client.putEager(slot, 200, source, 200, 800);
        Message m = new Message();
        ClientRequests.send(m, 0, 1, 5, 1000, 0, slot, client.announceEager(slot));
        client.call(m, m, LONG_NS);
        assertThat(m.kind()).isEqualTo(ClientEvents.PENDING);
        Message reply = post(ServerRequests.POST_RECEIVE, 70, 5, 1000, expected(0));
        assertThat(reply.kind()).isEqualTo(ServerEvents.POST_COMPLETED);
        assertThat(daemon.segment.segment().asSlice(expected(0), 1000).mismatch(source))
                .isEqualTo(-1);
        Message completed = clientEvents.await(client, ClientEvents.COMPLETED);
        assertThat(ClientEvents.reference(completed)).isEqualTo(1);
        client.releaseEagerSlot(slot);
    }

    @Test
    void anEagerMessageGoesIntoAListPieceByPiece() {
        MemorySegment all = daemon.segment.segment();
        long list = expected(1 << 20);
        long[] places = {expected(0), 10, expected(100), 0, expected(200), 90};
        for (int i = 0; i < places.length; i++) {
            all.set(ValueLayout.JAVA_LONG, list + i * 8L, places[i]);
        }
        Message m = new Message();
        int generation = client.welcome().generation();
        ServerRequests.post(m, ServerRequests.POST_RECEIVE, 0, 70, 1, generation, 5, 100);
        server.call(ServerRequests.place(m, 0, list, 3), m, LONG_NS);
        assertThat(m.kind()).isEqualTo(ServerEvents.REGISTERED);
        int slot = client.takeEagerSlot();
        MemorySegment source = arena.allocate(30);
        for (int i = 0; i < 30; i++) {
            source.set(ValueLayout.JAVA_BYTE, i, (byte) i);
        }
        client.putEager(slot, 0, source, 0, 30);
        ClientRequests.send(m, 0, 1, 5, 30, 0, slot, client.announceEager(slot));
        client.call(m, m, LONG_NS);
        assertThat(m.kind()).isEqualTo(ClientEvents.COMPLETED);
        assertThat(all.asSlice(expected(0), 10).mismatch(source.asSlice(0, 10))).isEqualTo(-1);
        assertThat(all.asSlice(expected(200), 20).mismatch(source.asSlice(10))).isEqualTo(-1);
    }

    @Test
    void listsThatAreNotSoundAreRefused() {
        MemorySegment all = daemon.segment.segment();
        long list = expected(1 << 20);
        long[][] bad = {
            {expected(0), 99},
            {expected(0), 101},
            {expected(0), -100},
            {expected(-1), 100},
            {daemon.map.unexpectedOffset(), 100},
            {Long.MAX_VALUE, 100},
            {expected((16L << 20) - 99), 100}
        };
        Message m = new Message();
        int generation = client.welcome().generation();
        for (long[] entry : bad) {
            all.set(ValueLayout.JAVA_LONG, list, entry[0]);
            all.set(ValueLayout.JAVA_LONG, list + 8, entry[1]);
            ServerRequests.post(m, ServerRequests.POST_RECEIVE, 0, 70, 1, generation, 5, 100);
            server.call(ServerRequests.place(m, 0, list, 1), m, LONG_NS);
            assertThat(m.kind())
                    .as("%d, %d", entry[0], entry[1])
                    .isEqualTo(ServerEvents.POST_REFUSED);
            assertThat(ServerEvents.refusedCode(m)).isEqualTo(ErrorCode.EINVAL.negativeValue());
        }
    }

    @Test
    void unexpectedMessagesGoInlineEagerlyAndByGrant() {
        Message m = new Message();
        ClientRequests.sendUnexpected(m, 0, 1, 5, 3, 12, 0, ClientRequests.INLINE, 0);
        client.call(m.put(0x0807060504030201L).put(0x0c0b0a09), m, LONG_NS);
        assertThat(m.kind()).isEqualTo(ClientEvents.COMPLETED);
        int slot = client.takeEagerSlot();
        MemorySegment source = arena.allocate(8192).fill((byte) 5);
        client.putEager(slot, 0, source, 0, 1024);
        long sequence = client.announceEager(slot);
        ClientRequests.sendUnexpected(m, 0, 2, 6, 0, 1024, 0, slot, sequence);
        client.call(m, m, LONG_NS);
        assertThat(m.kind()).isEqualTo(ClientEvents.COMPLETED);
        client.releaseEagerSlot(slot);
        ClientRequests.sendUnexpected(m, 0, 3, 7, 0, 8192, 0, NOT_EAGER, 0);
        client.call(m, m, LONG_NS);
        assertThat(m.kind()).isEqualTo(ClientEvents.GRANT);
        GrantMover mover = client.newMover();
        assertThat(mover.begin(m) && mover.write(source, 0, 8192)).isTrue();
        client.note(ClientRequests.done(m, ClientEvents.grantId(m), 8192, 0), LONG_NS);

        Message first = serverEvents.await(server, ServerEvents.UNEXPECTED);
        assertThat(ServerEvents.tag(first)).isEqualTo(5);
        assertThat(ServerEvents.messageClass(first)).isEqualTo(3);
        assertThat(ServerEvents.session(first)).isEqualTo(1);
        MemorySegment all = daemon.segment.segment();
        for (int i = 0; i < 12; i++) {
            byte there = all.get(ValueLayout.JAVA_BYTE, ServerEvents.offset(first) + i);
            assertThat(there).isEqualTo((byte) (i + 1));
        }
        Message second = serverEvents.await(server, ServerEvents.UNEXPECTED);
        assertThat(ServerEvents.bytes(second)).isEqualTo(1024);
        Message third = serverEvents.await(server, ServerEvents.UNEXPECTED);
        assertThat(all.asSlice(ServerEvents.offset(third), 8192).mismatch(source)).isEqualTo(-1);
        for (Message each : List.of(first, second, third)) {
            server.note(ServerRequests.unexpectedFree(m, ServerEvents.offset(each)), LONG_NS);
        }
        daemon.inEngine(() -> {});
        ServerRequests.cancel(m, 0, 1, 1);
        server.call(m, m, LONG_NS);
        assertThat(ServerEvents.cancelOutcome(m)).isEqualTo(ServerEvents.UNKNOWN);
        daemon.inEngine(() -> assertThat(daemon.engine().liveUnexpectedBlocks()).isZero());
        assertThat(daemon.faults()).isEmpty();
    }

    @Test
    void aReplyThatIsAGrantIsClaimedAndAVoidOneIsTurnedIntoPending() {
        post(ServerRequests.POST_RECEIVE, 70, 5, 5000, expected(0));
        Message m = new Message();
        ClientRequests.send(m, 0, 1, 5, 5000, 0, NOT_EAGER, 0);
        client.call(m, m, LONG_NS);
        assertThat(m.kind()).isEqualTo(ClientEvents.GRANT);
        assertThat(client.claim(m)).as("it has been claimed").isFalse();
        long operationId = ClientEvents.operationId(m);
        Message done = ClientRequests.done(new Message(), ClientEvents.grantId(m), 5000, 0);
        ((ShmClientLink) client).beforeReply(m);
        assertThat(m.kind()).isEqualTo(ClientEvents.PENDING);
        assertThat(ClientEvents.reference(m)).isEqualTo(1);
        assertThat(ClientEvents.operationId(m)).isEqualTo(operationId);
        client.note(done, LONG_NS);
        serverEvents.await(server, ServerEvents.COMPLETION);
    }

    @Test
    void callsAllocateNothing() {
        Message m = new Message();
        testManyTimes(m, 5000);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        testManyTimes(m, 20_000);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated).as("bytes for 20000 calls").isLessThan(20_000);
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

    private void callManyTimes(int number, int calls) {
        Message m = new Message();
        int generation = client.welcome().generation();
        for (int i = 0; i < calls; i++) {
            long reference = (long) number << 32 | i;
            ServerRequests.post(
                    m, ServerRequests.POST_RECEIVE, 0, reference, 1, generation, number, 10);
            assertThat(server.call(ServerRequests.place(m, expected(0), 0, 0), m, LONG_NS))
                    .isEqualTo(PeerChannel.OK);
            assertThat(m.kind()).isEqualTo(ServerEvents.REGISTERED);
            assertThat(ServerEvents.operationId(m)).isEqualTo(reference);
            ServerRequests.cancel(m, 0, reference, ServerEvents.zoidId(m));
            assertThat(server.call(m, m, LONG_NS)).isEqualTo(PeerChannel.OK);
            assertThat(ServerEvents.operationId(m)).isEqualTo(reference);
            assertThat(ServerEvents.cancelOutcome(m)).isEqualTo(ServerEvents.CANCELLED);
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
        daemon.inEngine(() -> daemon.fault(1, org.jbmi.zbmi.engine.Fault.MALFORMED));
        caller.get(20, SECONDS);
        assertThat(results).containsExactly(PeerChannel.BROKEN);
        assertThat(clientEvents.broken.get()).isEqualTo("The daemon has ended the session.");
        assertThat(client.brokenReason()).isNotNull();
        assertThat(client.note(ClientRequests.test(new Message(), -1, 0), 0))
                .isEqualTo(PeerChannel.BROKEN);
        assertThat(client.progress()).isEqualTo(PeerChannel.BROKEN);
        assertThat(client.prepareSleep(false)).isFalse();
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
                long at = area.towardDaemonOffset() + slot * 128L;
                long stamp = (long) client.welcome().generation() << 32 | 12345;
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
                .hasMessageContaining("No daemon answers at");
    }
}
