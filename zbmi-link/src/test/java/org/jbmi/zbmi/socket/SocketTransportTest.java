package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.Parking;
import org.jbmi.mempool.ThreadParking;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** Several threads sleep on one socket: one in the selector, the others behind it. */
@Timeout(60)
class SocketTransportTest {
    private static final long VERY_LONG_NS = TimeUnit.HOURS.toNanos(1);

    /** More than a park that ends for no reason explains. */
    private static final int MANY_PARKS = 20;

    private final List<Thread> threads = new ArrayList<>();
    private final CountingParking parking = new CountingParking();
    private final CountedSockets sockets = new CountedSockets();
    private final LinkSettings settings = new LinkSettings(sockets, parking, Long.MAX_VALUE, 0);
    private SocketChannel near;
    private SocketChannel far;
    private SocketTransport transport;

    /** Says when somebody is about to stand still: from then on an unpark is not missed. */
    private static final class CountingParking implements Parking {
        private final Semaphore parked = new Semaphore(0);

        @Override
        public Thread current() {
            return ThreadParking.INSTANCE.current();
        }

        @Override
        public void park(Object blocker, long timeoutNs) {
            parked.release();
            ThreadParking.INSTANCE.park(blocker, timeoutNs);
        }

        @Override
        public void unpark(@Nullable Thread thread) {
            ThreadParking.INSTANCE.unpark(thread);
        }
    }

    @BeforeEach
    void connect(@TempDir Path directory) throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("socket"));
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(address);
            near = SocketChannel.open(address);
            far = listener.accept();
        }
        near.configureBlocking(false);
        transport = new SocketTransport(near, settings);
    }

    @AfterEach
    void endAll() throws Exception {
        transport.close();
        far.close();
        for (Thread thread : threads) {
            thread.interrupt();
            thread.join();
        }
    }

    private Thread start(Runnable sleep) {
        Thread thread = Thread.ofPlatform().start(sleep);
        threads.add(thread);
        return thread;
    }

    /** A thread that sleeps once; returns when it is the one that selects. */
    private Thread selecting() throws InterruptedException {
        CountDownLatch looks = new CountDownLatch(1);
        BooleanSupplier isOver =
                () -> {
                    looks.countDown();
                    return false;
                };
        Thread thread = start(() -> transport.await(VERY_LONG_NS, isOver));
        looks.await();
        return thread;
    }

    /** A thread that sleeps once; returns when it stands behind the one that selects. */
    private Thread behind() throws InterruptedException {
        Thread thread = start(() -> transport.await(VERY_LONG_NS, () -> false));
        parking.parked.acquire();
        return thread;
    }

    @Test
    void oneSelectsForAll() throws Exception {
        Thread first = selecting();
        Thread second = behind();

        far.write(ByteBuffer.allocate(1));
        first.join();
        second.join(); // its heir

        assertThat(transport.in().read(ByteBuffer.allocate(2))).isEqualTo(1);
    }

    // Its answer may be there already, which the one before it has read.
    @Test
    void anHeirThatGoesAwayHasAnHeirToo() throws Exception {
        Thread first = selecting();
        Thread second = behind();
        Thread third = behind();

        far.write(ByteBuffer.allocate(1));
        first.join();
        second.join();
        third.join(TimeUnit.SECONDS.toMillis(20));

        assertThat(third.isAlive()).as("asleep, and nobody selects").isFalse();
    }

    @Test
    void eachCanBeWoken() throws Exception {
        Thread first = selecting();
        Thread second = behind();

        transport.wake(second);
        second.join();
        assertThat(first.isAlive()).as("woken for another one").isTrue();
        transport.wake(first);
        first.join();
    }

    // A park ends at once while its thread is interrupted; the call would sleep again and again.
    @Test
    void whoWasInterruptedStandsStillBehindTheOneThatSelects() throws Exception {
        Thread first = selecting();
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicBoolean isInterrupted = new AtomicBoolean();
        Thread second =
                start(
                        () -> {
                            Thread.currentThread().interrupt();
                            while (!isOver.get()) {
                                transport.await(VERY_LONG_NS, isOver::get);
                            }
                            isInterrupted.set(Thread.currentThread().isInterrupted());
                        });
        parking.parked.acquire();
        boolean spins = parking.parked.tryAcquire(MANY_PARKS, 100, TimeUnit.MILLISECONDS);

        isOver.set(true);
        transport.wake(second);
        second.join();
        assertThat(spins).as("parks again and again").isFalse();
        assertThat(isInterrupted).as("still interrupted").isTrue();
        transport.wake(first);
        first.join();
    }

    @Test
    void whoHasAReasonDoesNotSleep() throws Exception {
        transport.await(VERY_LONG_NS, () -> true);
        Thread first = selecting();
        transport.await(VERY_LONG_NS, () -> true);

        transport.wakeAll();
        first.join();
    }

    @Test
    void whoSelectsHearsThatRoomIsWanted() throws Exception {
        ByteBuffer chunk = ByteBuffer.allocate(64 << 10);
        while (transport.out().write(chunk.clear()) > 0) {
            // Until it is full.
        }
        Thread first = selecting();
        transport.wantsRoom(true);
        first.join(); // to look for that as well
        Thread again = selecting();
        far.configureBlocking(false);
        while (again.isAlive()) {
            far.read(chunk.clear());
        }

        assertThat(transport.out().write(chunk.clear())).isPositive();
    }

    @Test
    void itsEndEndsTheSleepOfAll() throws Exception {
        Thread first = selecting();
        Thread second = behind();

        transport.close();
        transport.wakeAll();
        first.join();
        second.join();

        transport.await(TimeUnit.MILLISECONDS.toNanos(1), () -> false);
    }

    @Test
    void aSocketThatCannotBeTakenOverLeavesNoSelectorOpen() {
        assertThatThrownBy(() -> new SocketTransport(far, settings)) // which blocks
                .isInstanceOf(IllegalBlockingModeException.class);

        assertThat(sockets.selectors()).isEqualTo(2);
        assertThat(sockets.openSelectors()).as("the other one's").isEqualTo(1);
    }

    // A gateway's answer is checked before; memory may be scarce.
    @Test
    void aLinkThatCannotBeMadeLeavesNoSelectorOpen() throws IOException {
        transport.close();
        SessionLimits limits = new SessionLimits(1 << 20, 8192, 1024, 64, 10);
        LinkWelcome impossible = new LinkWelcome(1, -1, limits);
        far.configureBlocking(false);

        assertThatThrownBy(
                        () ->
                                SocketClientLinks.link(
                                        far,
                                        impossible,
                                        new SilentEvents(),
                                        NanoClock.SYSTEM,
                                        settings))
                .isInstanceOf(NegativeArraySizeException.class);

        assertThat(sockets.selectors()).isEqualTo(2);
        assertThat(sockets.openSelectors()).isZero();
    }
}
