package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** A gateway that reads now and then, or not at all, on a clock of the test's own. */
@Timeout(30)
class LinkStallTest {
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int LOOKS = 450;

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
    private static final class Gateway extends StreamTransport {
        private boolean isFull;

        Gateway() {
            super(new StreamPipe(new Random(4), 64), new StreamPipe(new Random(5), 64));
        }

        @Override
        public int write(ByteBuffer source) {
            int bytes = isFull ? 0 : source.remaining();
            source.position(source.position() + bytes);
            return bytes;
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
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
}
