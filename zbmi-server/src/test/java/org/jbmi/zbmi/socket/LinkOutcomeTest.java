package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/** What the engine says of an operation while its bytes are still being written. */
@Timeout(30)
class LinkOutcomeTest {
    private static final int BYTES = 10;

    /** Waits of a thread that spins, which are over soon. */
    private static final int MANY = 100_000;

    private static final int MORE_THAN_THE_STREAM_HOLDS = 2 * ScriptedGateway.STREAM_BYTES;

    private final ScriptedGateway gateway = new ScriptedGateway();
    private final RemoteOperation send =
            ScriptedGateway.operation(OperationKind.SEND, MORE_THAN_THE_STREAM_HOLDS);

    /** A void claim, another offer, and the end of it all, each of which crosses the bytes. */
    @Test
    void theEndIsHeardThoughAnotherOfferCameBeforeIt() throws IOException {
        gateway.offer(11, MORE_THAN_THE_STREAM_HOLDS);
        gateway.isHeard();
        assertThat(gateway.link.startMove(send, gateway.grant)).isEqualTo(ClientLink.MOVING);
        gateway.readsNothing();
        gateway.ofClaim(1, LinkFrame.VOID);
        gateway.offer(12, MORE_THAN_THE_STREAM_HOLDS);
        gateway.completed(MORE_THAN_THE_STREAM_HOLDS);
        gateway.isHeard();
        assertThat(gateway.last.kind())
                .as("not while its bytes are read")
                .isEqualTo(ClientEvents.GRANT);
        gateway.readsAll();
        assertThat(gateway.last.kind()).isEqualTo(ClientEvents.COMPLETED);
        gateway.link.close();
    }

    // A wait ends at once while its thread is interrupted; the call would look again and again.
    @Test
    void whoWasInterruptedSleepsUntilAnotherThreadHasSetItsBuffers() throws Exception {
        gateway.offer(11, BYTES);
        gateway.isHeard();
        gateway.data(1, BYTES);
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicBoolean isInterrupted = new AtomicBoolean();
        Thread waiting =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    Thread.currentThread().interrupt();
                                    for (int i = 0; i < MANY && !isOver.get(); i++) {
                                        gateway.link.awaitEvent(Long.MAX_VALUE);
                                    }
                                    isInterrupted.set(Thread.currentThread().isInterrupted());
                                });
        while (waiting.isAlive() && waiting.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        boolean sleeps = waiting.isAlive();

        isOver.set(true);
        waiting.join();
        gateway.link.close();
        assertThat(sleeps).isTrue();
        assertThat(isInterrupted).isTrue();
    }
}
