package org.jbmi.zbmi.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
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
import java.util.concurrent.atomic.AtomicReference;
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
    private final AtomicReference<Thread> lastBy = new AtomicReference<>();
    private final CountDownLatch isLast = new CountDownLatch(1);
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
        keeper = new Keeper(sessions, engine, door, host.context, 0);
        keeper.start();
    }

    private void last() {
        lasts.incrementAndGet();
        lastBy.set(Thread.currentThread());
        isLast.countDown();
    }

    // One that is stopped before its first turn ends without the engine.
    private static void awaitKeeper() {
        while (Thread.getAllStackTraces().entrySet().stream()
                .noneMatch(
                        each ->
                                each.getKey().getName().equals(Keeper.NAME)
                                        && Stream.of(each.getValue())
                                                .anyMatch(
                                                        frame ->
                                                                frame.getMethodName()
                                                                        .equals("turn")))) {
            Thread.yield();
        }
    }

    @Test
    void whatAKeeperUsesThatEndsInTimeGoesBeforeTheCloseReturns() {
        keeper.stop(TimeUnit.SECONDS.toNanos(30), this::last);
        assertThat(lastBy).hasValue(Thread.currentThread());
        assertThat(lasts).hasValue(1);
    }

    @Test
    void aCloseDoesNotWaitForAKeeperThatIsHeldAndTheKeeperDoesTheLast() throws Exception {
        try (SocketChannel socket = SocketChannel.open()) {
            Connection connection = new Connection(socket, 0);
            connection.hello(new Hello(PeerRole.CLIENT, 1, 0, "shm"));
            awaitKeeper();
            Thread attaching =
                    Thread.ofPlatform().start(() -> engine.tell(SessionEvent.ATTACH, connection));
            isHeld.await();
            keeper.stop(TimeUnit.MILLISECONDS.toNanos(50), this::last);
            assertThat(lasts).as("what the keeper uses is gone").hasValue(0);
            goOn.countDown();
            isLast.await();
            attaching.join();
        }
        assertThat(lastBy.get().getName()).isEqualTo(Keeper.NAME);
        assertThat(lasts).hasValue(1);
    }
}
