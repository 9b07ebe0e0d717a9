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
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** Where a server's heap is full for a moment, calls and transfers end all the same. */
@Timeout(60)
class FullHeapTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final int BYTES = 1 << 20;

    /** As long as the handler waits, each look for messages behind a sleep fails. */
    @Test
    void aTransferGoesOnWhenALookForMessagesFails() throws Exception {
        AtomicBoolean isFull = new AtomicBoolean();
        AtomicBoolean slept = new AtomicBoolean();
        try (Setup setup = Setup.of("loopback");
                ShipperServer server = ShipperServer.on(failing(setup.server, isFull, slept));
                Shipper client = Shipper.on(setup.client);
                BulkHandle data =
                        client.expose(MemorySegment.ofArray(new byte[BYTES]), Permission.READ)) {
            server.register(
                    "pull",
                    Move.class,
                    Number.class,
                    call -> {
                        isFull.set(true);
                        try (Lease lease = call.pull(call.input().data())) {
                            return new Number(lease.segment().byteSize());
                        } finally {
                            isFull.set(false);
                        }
                    });
            server.start();
            assertThat(
                            client.function("pull", Move.class, Number.class)
                                    .call(setup.address(), new Move(data, 0, 0), SOON))
                    .isEqualTo(new Number(BYTES));
        }
    }

    /** What a round took in its sleep is not lost when the same round fails. */
    private static Bmi failing(Bmi bmi, AtomicBoolean isFull, AtomicBoolean slept) {
        return WatchedBmi.beforeListening(
                WatchedBmi.before(
                        bmi,
                        what -> {
                            if (what.startsWith("testContext") || what.equals("collect")) {
                                slept.set(what.startsWith("testContext"));
                            }
                        }),
                () -> {
                    if (isFull.get() && slept.get()) {
                        throw new OutOfMemoryError("As if the heap were full.");
                    }
                });
    }
}
