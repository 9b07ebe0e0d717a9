package org.jbmi.zbmi.daemon.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.observe.Counters;
import org.jbmi.testsuite.support.FullHeap;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.daemon.ClientRequest;
import org.jbmi.zbmi.daemon.FailsOnce;
import org.jbmi.zbmi.daemon.ZbmiDaemon;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Logger;

/** Sessions that come when nobody wants them any more. */
@Timeout(60)
class LaneAttacherTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long PATIENCE_S = 30;

    @TempDir private Path directory;

    private ZbmiDaemon daemon() {
        return daemon(directory);
    }

    private static ZbmiDaemon daemon(Path directory) {
        return ZbmiDaemon.builder()
                .knob("zoid.runtimeDirectory", directory.resolve("run").toString())
                .knob("zbmi.segmentDirectory", directory.toString())
                .knob("zbmi.totalBytes", "4m")
                .knob("zbmi.maxClients", "1")
                .start();
    }

    private static AttachRequest request(ZbmiDaemon daemon) {
        return ClientRequest.of(daemon, LONG_NS);
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        boolean isOpen = false;
        while (!isOpen) {
            try {
                latch.await();
                isOpen = true;
            } catch (InterruptedException e) {
                // The close interrupts; one that is in the system's hands does not hear it.
            }
        }
        Thread.interrupted(); // it came when the latch was just being opened
    }

    /** One connection, as a gateway sees it. */
    private static RemoteClient remote(Selector selector, Queue<SocketChannel> peers)
            throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            peers.add(SocketChannel.open(listener.getLocalAddress()));
            SocketChannel taken = listener.accept();
            taken.configureBlocking(false);
            return new RemoteClient(taken, selector, false, Long.MAX_VALUE);
        }
    }

    @Test
    void aSessionThatComesAfterTheCloseIsClosed() throws Exception {
        CountDownLatch isAsked = new CountDownLatch(1);
        CountDownLatch mayAnswer = new CountDownLatch(1);
        List<PeerAttachment> made = new ArrayList<>();
        Queue<SocketChannel> peers = new ArrayDeque<>();
        CountDownLatch isMade = new CountDownLatch(1);
        try (ZbmiDaemon daemon = daemon();
                Selector selector = Selector.open()) {
            LaneAttacher attacher =
                    new LaneAttacher(
                            () -> {
                                isAsked.countDown();
                                awaitUninterrupted(mayAnswer);
                                PeerAttachment late = PeerAttachment.connect(request(daemon));
                                made.add(late);
                                isMade.countDown();
                                return late;
                            },
                            1,
                            () -> {},
                            1);
            RemoteClient client = remote(selector, peers);
            assertThat(attacher.start(client)).isTrue();
            isAsked.await();
            attacher.close();
            mayAnswer.countDown();
            isMade.await();
            long endNs = System.nanoTime() + LONG_NS;
            while (made.getFirst().socket().isOpen() && System.nanoTime() - endNs < 0) {
                Thread.onSpinWait();
            }
            assertThat(made.getFirst().socket().isOpen()).isFalse();
            client.close();
        } finally {
            for (SocketChannel peer : peers) {
                peer.close();
            }
        }
    }

    /** In a full heap there may be no other thread for those that wait. */
    @Test
    void theThreadOutlivesALackOfMemoryForARefusal() throws Exception {
        Queue<Thread> threads = new ConcurrentLinkedQueue<>();
        CountDownLatch isAsked = new CountDownLatch(2);
        Queue<SocketChannel> peers = new ArrayDeque<>();
        Logger logger = Logger.getLogger(LaneAttacher.class.getName());
        Handler failing = new FailsOnce();
        logger.addHandler(failing);
        try (Selector selector = Selector.open();
                LaneAttacher attacher =
                        new LaneAttacher(
                                () -> {
                                    threads.add(Thread.currentThread());
                                    isAsked.countDown();
                                    throw new OutOfMemoryError("played");
                                },
                                2,
                                () -> {},
                                LONG_NS)) {
            RemoteClient first = remote(selector, peers);
            RemoteClient second = remote(selector, peers);
            assertThat(attacher.start(first)).isTrue();
            assertThat(attacher.start(second)).isTrue();
            isAsked.await();
            assertThat(Set.copyOf(threads)).hasSize(1);
            first.close();
            second.close();
        } finally {
            logger.removeHandler(failing);
            for (SocketChannel peer : peers) {
                peer.close();
            }
        }
    }

    /** Who has gone meanwhile is neither counted nor takes the place of one that reads why. */
    @Test
    void aRefusalForOneThatHasGoneIsNotForAnybody() throws Exception {
        Counters counters = Counters.inMemory();
        Queue<ClientAttacher.Result> results = new ArrayDeque<>();
        Queue<SocketChannel> peers = new ArrayDeque<>();
        GatewaySettings settings =
                new GatewaySettings(
                        "", Set.of(), "127.0.0.1", 0, AddressRanges.parse(""), 4, LONG_NS, LONG_NS);
        try (Selector selector = Selector.open()) {
            GatewayLoop loop =
                    new GatewayLoop(
                            settings,
                            new GatewayAccess(settings, channel -> "self", "self"),
                            selector,
                            List.of(),
                            new ClientAttacher() {
                                @Override
                                public boolean start(RemoteClient client) {
                                    return false;
                                }

                                @Override
                                public Result poll() {
                                    return results.poll();
                                }
                            },
                            NanoClock.SYSTEM,
                            new ErrorLog(text -> {}),
                            new GatewayCounters(counters));
            RemoteClient gone = remote(selector, peers);
            gone.close();
            BmiException refusal = new BmiException(ErrorCode.ENOBUFS, "There is no room.");
            results.add(new ClientAttacher.Result(gone, null, refusal));
            selector.wakeup();
            loop.turn();
            assertThat(counters.find("zbmi.gateway.refused").get()).isZero();
            assertThat(gone.isClosed()).isTrue();
        } finally {
            for (SocketChannel peer : peers) {
                peer.close();
            }
        }
    }

    @Test
    void aSessionThatCannotBeHandedOverIsClosed() throws Exception {
        assertThat(FullHeap.outputOf(Full.class, "16m", PATIENCE_S, directory.toString()))
                .isEqualTo("closed, the gateway knows, room for another");
    }

    /** Its heap is full when the one session that there may be has come. */
    static final class Full {
        private static final long MOST_NS = TimeUnit.SECONDS.toNanos(20);

        private final ZbmiDaemon daemon;
        private volatile @Nullable PeerAttachment made;
        private volatile boolean isWoken;
        private @Nullable Object filler;

        private Full(Path directory) {
            daemon = daemon(directory);
        }

        public static void main(String[] arguments) throws Exception {
            new Full(Path.of(arguments[0])).run();
        }

        private void run() throws Exception {
            try (daemon;
                    Selector selector = Selector.open();
                    LaneAttacher attacher = new LaneAttacher(this::connect, 1, this::wake, 1)) {
                PeerAttachment.connect(request(daemon)).close();
                RemoteClient client = remote(selector, new ArrayDeque<>());
                client.attaching(Long.MAX_VALUE);
                attacher.start(client);
                long endNs = System.nanoTime() + MOST_NS;
                boolean isClosed = false;
                while (!(isClosed && isWoken) && System.nanoTime() - endNs < 0) {
                    PeerAttachment session = made;
                    isClosed = session != null && !session.socket().isOpen();
                }
                filler = null;
                System.out.print(isClosed ? "closed, " : "open, ");
                boolean isKnown = isWoken && client.waitsForNothing();
                System.out.print(isKnown ? "the gateway knows, " : "nobody knows, ");
                PeerAttachment.connect(request(daemon)).close();
                System.out.print("room for another");
            }
        }

        private void wake() {
            isWoken = true;
        }

        private PeerAttachment connect() {
            PeerAttachment session = PeerAttachment.connect(request(daemon));
            filler = FullHeap.fill();
            made = session;
            return session;
        }
    }
}
