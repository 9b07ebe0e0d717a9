package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** A gateway that reads now and then, or not at all, on a clock of the test's own. */
@Timeout(30)
class LinkStallTest {
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int LOOKS = 450;
    private static final long REFERENCE = 3;
    private static final int LONG_BYTES = 4 << 20;

    private final Gateway gateway = new Gateway();
    private final Message message = new Message();
    private long nowNs = 1;
    private final SocketClientLink link =
            new SocketClientLink(
                    gateway,
                    new LinkWelcome(1, 4, new SessionLimits(1 << 20, 8192, 1024, 64, 10)),
                    new Nobody(),
                    () -> nowNs,
                    new LinkSettings(
                            LinkWorld.PATIENT.sockets(),
                            LinkWorld.PATIENT.parking(),
                            LOOKS * LOOK_NS,
                            0));

    /** Takes nothing, or everything. */
    private static final class Gateway extends StreamTransport implements GatheringByteChannel {
        private boolean isFull;
        private boolean wantsRoom;
        private long taken;

        Gateway() {
            super(new StreamPipe(new Random(4), 64), new StreamPipe(new Random(5), 64));
        }

        @Override
        public void wantsRoom(boolean wants) {
            wantsRoom = wants;
        }

        @Override
        public GatheringByteChannel out() {
            return this;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public long write(ByteBuffer[] sources) {
            return write(sources, 0, sources.length);
        }

        @Override
        public int write(ByteBuffer source) {
            int bytes = isFull ? 0 : source.remaining();
            source.position(source.position() + bytes);
            taken += bytes;
            return bytes;
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int length) {
            long bytes = 0;
            for (int i = offset; i < offset + length; i++) {
                bytes += write(sources[i]);
            }
            return bytes;
        }
    }

    private static final class Nobody implements PeerEvents {
        @Override
        public void onEvent(Message event) {
            throw new AssertionError("nobody says anything");
        }

        @Override
        public void onBroken(String reason) {}
    }

    private void fill() {
        gateway.isFull = true;
        while (link.note(ClientRequests.withdraw(message, 5, 3), 0) == PeerChannel.OK) {
            // Until room is wanted.
        }
    }

    private void round() {
        nowNs += LOOK_NS;
        link.progress();
    }

    @Test
    void whatMovesInTheEndIsNoStall() {
        for (int i = 0; i < 2 * LOOKS; i++) {
            fill();
            round();
            gateway.isFull = false;
            round();
            assertThat(link.brokenReason()).isNull();
        }
        link.close();
    }

    @Test
    void whatNeverMovesIsOne() {
        fill();
        for (int i = 0; i <= LOOKS; i++) {
            round();
        }
        assertThat(link.brokenReason()).contains("moved nothing for too long");
    }

    // Whoever sleeps before that must wake up for room, or the rest waits for the end of the sleep.
    @Test
    void aSendThatIsTakenInWholePiecesWantsRoomUntilItsEnd() {
        ClientEvents.grant(message, 0, REFERENCE, 9, 9, LONG_BYTES);
        ClientEvents.grantPlace(message, 0, 0, 0, 0, 9, 0);
        assertThat(link.claim(message)).isTrue();
        link.startMove(ScriptedGateway.operation(OperationKind.SEND, LONG_BYTES), message);
        while (gateway.taken < LONG_BYTES) {
            long before = gateway.taken;
            assertThat(gateway.wantsRoom).as("after %d bytes", before).isTrue();
            link.progress();
            assertThat(gateway.taken).isGreaterThan(before);
        }
        assertThat(gateway.wantsRoom).as("in the end").isFalse();
        link.close();
    }
}
