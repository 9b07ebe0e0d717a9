package org.jbmi.zbmi.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.spi.Failures;
import org.jbmi.zbmi.host.port.PortOpener;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Filter;
import java.util.logging.Logger;
import java.util.stream.Stream;

/** Whoever closes waits for the keeper for a time, and what the keeper uses goes when it does. */
@Timeout(60)
class KeeperEndTest {
    private static final long SLICE_NS = 1_000_000;

    @TempDir private Path folder;

    private final PlayedHost host = new PlayedHost();
    private final CountDownLatch isHeld = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final EngineParts parts = host.parts(new Holding());
    private final DirectEngine engine =
            new DirectEngine(parts, host.output, host.context, SLICE_NS);
    private final AtomicInteger lasts = new AtomicInteger();
    private final CountDownLatch isLast = new CountDownLatch(1);
    private volatile boolean hasMemory = true;
    private volatile Runnable duringLast = () -> {};
    private Keeper keeper;

    /** Holds the engine where a client comes. */
    private final class Holding implements SessionTransports {
        @Override
        public PortOpener link(String name) {
            isHeld.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts it", e);
            }
            throw new BmiException(ErrorCode.ENOBUFS, "There is no room.");
        }

        @Override
        public PortOpener channel(String name) {
            throw new AssertionError("no server comes");
        }
    }

    @BeforeEach
    void start() throws IOException {
        Sessions sessions = new Sessions(folder.resolve("socket"), host.context, 4, engine);
        engine.use(sessions::wakeup);
        parts.table().attachOwnServer(1);
        DirectDoor door =
                new DirectDoor(
                        engine, new HeardEvents(), host.context.clock(), SLICE_NS, mostNs -> {});
        keeper = new Keeper(sessions, engine, door, host.context, 0, this::last);
        keeper.start();
    }

    private void last() {
        if (!hasMemory) {
            throw new OutOfMemoryError("played");
        }
        duringLast.run();
        lasts.incrementAndGet();
        isLast.countDown();
    }

    // One that is stopped before its first turn ends without the engine.
    private static void awaitKeeper(String method) {
        while (Thread.getAllStackTraces().entrySet().stream()
                .noneMatch(
                        each ->
                                each.getKey().getName().equals(Keeper.NAME)
                                        && Stream.of(each.getValue())
                                                .anyMatch(
                                                        frame ->
                                                                frame.getMethodName()
                                                                        .equals(method)))) {
            Thread.yield();
        }
    }

    @Test
    void whatAKeeperUsesThatEndsInTimeGoesBeforeTheCloseReturns() {
        keeper.stop(TimeUnit.SECONDS.toNanos(30));
        assertThat(lasts).hasValue(1);
    }

    @Test
    void aReleaseThatHasBegunEndsBeforeTheCloseReturns() throws Exception {
        Thread closer = Thread.currentThread();
        CountDownLatch hasBegun = new CountDownLatch(1);
        duringLast =
                () -> {
                    hasBegun.countDown();
                    while (closer.getState() != Thread.State.TIMED_WAITING && goOn.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                };
        try {
            keeper.stop(0);
            hasBegun.await();
            keeper.stop(0);
            assertThat(lasts).hasValue(1);
        } finally {
            goOn.countDown();
        }
    }

    @Test
    void whatFailsInTheReleaseReachesTheClose() {
        assertReachesTheClose(new IllegalStateException("played"));
    }

    @Test
    void aClassThatTheReleaseCannotUseReachesTheClose() {
        assertReachesTheClose(new NoClassDefFoundError("played"));
    }

    private void assertReachesTheClose(Throwable failure) {
        duringLast = () -> Failures.rethrow(failure);
        assertThatThrownBy(() -> keeper.stop(TimeUnit.SECONDS.toNanos(30))).isSameAs(failure);
    }

    @Test
    void whatFindsNoMemoryIsDoneLater() throws Exception {
        hasMemory = false;
        keeper.stop(TimeUnit.MILLISECONDS.toNanos(50));
        assertThat(lasts).hasValue(0);
        hasMemory = true;
        isLast.await();
    }

    @Test
    void aKeeperThatHasHungUpDoesTheLastAtTheClose() {
        keeper.beginStop();
        awaitKeeper("awaitStop");
        keeper.stop(TimeUnit.SECONDS.toNanos(30));
        assertThat(lasts).hasValue(1);
    }

    @Test
    void aCloseDoesNotWaitForAKeeperThatIsHeldAndTheKeeperDoesTheLast() throws Exception {
        try (SocketChannel socket = SocketChannel.open()) {
            Connection connection = new Connection(socket, 0);
            connection.hello(new Hello(PeerRole.CLIENT, 1, 0, "shm"));
            awaitKeeper("turn");
            Thread attaching =
                    Thread.ofPlatform().start(() -> engine.tell(SessionEvent.ATTACH, connection));
            isHeld.await();
            stopInterruptedWithoutMemoryForTheLog();
            assertThat(lasts).as("what the keeper uses is gone").hasValue(0);
            goOn.countDown();
            isLast.await();
            attaching.join();
        }
        assertThat(lasts).hasValue(1);
    }

    private void stopInterruptedWithoutMemoryForTheLog() {
        Logger logger = Logger.getLogger(Keeper.class.getName());
        Filter failing =
                report -> {
                    throw new OutOfMemoryError("played");
                };
        logger.setFilter(failing);
        Thread.currentThread().interrupt();
        try {
            keeper.stop(TimeUnit.MILLISECONDS.toNanos(50));
        } finally {
            logger.setFilter(null);
            assertThat(Thread.interrupted()).isTrue();
        }
    }
}
