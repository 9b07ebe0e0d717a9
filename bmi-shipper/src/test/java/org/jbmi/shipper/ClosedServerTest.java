package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.shipper.Records.Move;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/** What goes on after the close of a server, on an instance that stays open. */
@Timeout(60)
class ClosedServerTest {
    private static final int BYTES = 4096;

    /** Both clients are one peer; the first one does not look, so its receives stay posted. */
    @Test
    void aReplyOfTheNextServerReachesTheClientThatCalled() throws Exception {
        try (Setup setup = Setup.of("loopback");
                Shipper first = Shipper.builder(setup.client).withoutThreads().client();
                Shipper second = Shipper.on(setup.client)) {
            assertThat(callOfAServer(first, setup)).isEqualTo(new Number(1));
            assertThat(callOfAServer(second, setup)).isEqualTo(new Number(1));
        }
    }

    private static Number callOfAServer(Shipper client, Setup setup) {
        try (ShipperServer server = ShipperServer.on(setup.server)) {
            server.register("echo", Number.class, Number.class, Call::input).start();
            return client.function("echo", Number.class, Number.class)
                    .call(setup.address(), new Number(1), Duration.ofSeconds(20));
        }
    }

    /** What a handler does before and after the close of its server. */
    private interface Late {
        void after(Call<Move, Number> call, Lease lease);
    }

    @Test
    void theLeaseOfAHandlerThatStillRunsIsNotGivenToOthers() throws Exception {
        try (Setup setup = Setup.of("loopback")) {
            outlast(
                    setup,
                    bmi -> bmi,
                    (call, lease) -> {
                        MemorySegment other = call.client().allocate(BYTES);
                        other.set(ValueLayout.JAVA_LONG, 0, 42);
                        lease.segment().set(ValueLayout.JAVA_LONG, 0, 13);
                        assertThat(other.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
                        setup.server.free(other);
                    });
        }
    }

    /** The close ends the context, and with it the transfer, whose outcome nobody hears. */
    @Test
    void aLeaseIsFreedWithItsHandlerThoughATransferWasNotOver() throws Exception {
        try (Setup setup = Setup.of("loopback")) {
            outlast(setup, WatchedBmi::withoutCancels, (call, lease) -> {});
        }
    }

    /** No round of progress follows that could try again. */
    @Test
    void aLeaseThatIsNotFreedAtOnceAfterTheCloseIsFreed() throws Exception {
        AtomicBoolean isFull = new AtomicBoolean();
        Runnable failsOnce =
                () -> {
                    if (isFull.getAndSet(false)) {
                        throw new OutOfMemoryError("As if the heap were full.");
                    }
                };
        try (Setup setup = Setup.of("loopback")) {
            outlast(
                    setup,
                    bmi -> WatchedBmi.beforeFree(bmi, failsOnce),
                    (call, lease) -> isFull.set(true));
        }
    }

    private static void outlast(Setup setup, UnaryOperator<Bmi> watched, Late late)
            throws Exception {
        CompletableFuture<Void> result = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        ShipperServer server =
                Shipper.builder(watched.apply(setup.server))
                        .knob("shipper.closeWaitMs", "1")
                        .server();
        server.register(
                "outlast",
                Move.class,
                Number.class,
                call -> {
                    Lease lease = call.lease(BYTES);
                    call.startPull(call.input().data(), 0, List.of(lease.segment()), 0, BYTES);
                    begun.countDown();
                    awaitWhole(closed);
                    try {
                        late.after(call, lease);
                        result.complete(null);
                    } catch (Throwable e) {
                        result.completeExceptionally(e);
                    }
                    return new Number(1);
                });
        try (Shipper client = Shipper.builder(setup.client).withoutThreads().client();
                BulkHandle data =
                        client.expose(MemorySegment.ofArray(new byte[BYTES]), Permission.READ)) {
            server.start();
            client.function("outlast", Move.class, Number.class)
                    .forward(setup.address(), new Move(data, 0, 0));
            Setup.until(
                    "the handler runs",
                    () -> begun.getCount() == 0,
                    () -> client.progress(Duration.ZERO));
            server.close();
            assertThat(leased(setup)).isEqualTo(BYTES);
            closed.countDown();
            result.get(20, TimeUnit.SECONDS);
            Setup.untilEqual("the leased bytes", 0L, () -> leased(setup));
        } finally {
            closed.countDown();
            server.close();
        }
    }

    /** The close of the server interrupts it. */
    private static void awaitWhole(CountDownLatch latch) {
        boolean over = false;
        while (!over) {
            try {
                latch.await();
                over = true;
            } catch (InterruptedException e) {
                // It goes on, as a handler in a slow system call does.
            }
        }
    }

    private static long leased(Setup setup) {
        return setup.server.counters().find("shipper.server.leasedBytes").get();
    }
}
