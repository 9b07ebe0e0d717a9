package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.ByteBuffer;
import java.util.Random;

/** A client's link that is full, in the stream or before it. The gateway reads when it is told. */
@Timeout(30)
class LinkRoomTest {
    private static final int STREAM_BYTES = 50;
    private static final int EAGER_BYTES = 1024;

    private final StreamPipe toGateway = new StreamPipe(new Random(2), STREAM_BYTES);
    private final Calls calls = new Calls();
    private final Message message = new Message();
    private final SocketClientLink link =
            new SocketClientLink(
                    new StreamTransport(new StreamPipe(new Random(3), STREAM_BYTES), toGateway),
                    new LinkWelcome(1, 4, new SessionLimits(1 << 20, 8192, EAGER_BYTES, 64, 10)),
                    calls,
                    NanoClock.SYSTEM,
                    new LinkSettings(
                            LinkWorld.PATIENT.sockets(),
                            LinkWorld.PATIENT.parking(),
                            Long.MAX_VALUE,
                            0));

    private static final class Calls implements PeerEvents {
        private int forRoom;

        @Override
        public void onEvent(Message event) {
            throw new AssertionError("nobody says anything");
        }

        @Override
        public void onLeadWanted() {
            forRoom++;
        }

        @Override
        public void onBroken(String reason) {
            throw new AssertionError(reason);
        }
    }

    @AfterEach
    void close() {
        link.close();
    }

    private int withdraw() {
        return link.note(ClientRequests.withdraw(message, 5, 1L << Integer.SIZE | 3), 0);
    }

    // Until nothing is left; what was written last may lie in the stream.
    private void gatewayReads() {
        do {
            toGateway.read(ByteBuffer.allocate(STREAM_BYTES));
            link.progress();
        } while (toGateway.size() > 0 || !link.hasRoom());
    }

    @Test
    void theSmallestBufferTakesAMessageAtATime() {
        assertThat(link.hasRoom()).isTrue();
        int taken = 0;
        while (withdraw() == PeerChannel.OK) {
            taken++;
        }
        assertThat(taken).isPositive();
        assertThat(link.hasRoom()).isFalse();

        gatewayReads();
        assertThat(withdraw()).isEqualTo(PeerChannel.OK);
    }

    // Another thread's message that could not be written: the lead looks for reading only.
    @Test
    void aLeadInAnotherSelectorIsCalledWhenRoomIsWanted() {
        assertThat(link.prepareSleep(true)).isTrue();
        while (withdraw() == PeerChannel.OK) {
            // Until it is full.
        }
        assertThat(calls.forRoom).isPositive();
        link.finishSleep();
    }

    @Test
    void aLeadOnTheLinkIsNotCalled() {
        assertThat(link.prepareSleep(false)).isTrue();
        while (withdraw() == PeerChannel.OK) {
            // Until it is full.
        }
        link.finishSleep();
        assertThat(calls.forRoom).isZero();
    }
}
