package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Random;
import java.util.concurrent.TimeUnit;

/** What is left of a link whose transport cannot be closed. */
@Timeout(30)
class LinkCloseTest {
    private static final long LONG_MS = TimeUnit.SECONDS.toMillis(10);
    private static final int BYTES = 1024;

    private final StreamPipe pipe = new StreamPipe(new Random(1), BYTES);
    private final SocketClientLink link =
            new SocketClientLink(
                    new NoRoomToClose(pipe),
                    new LinkWelcome(1, 4, new SessionLimits(1 << 20, BYTES, BYTES, 64, 10)),
                    new Nobody(),
                    NanoClock.SYSTEM,
                    LinkWorld.PATIENT);

    private static final class NoRoomToClose extends StreamTransport {
        NoRoomToClose(StreamPipe pipe) {
            super(pipe, pipe);
        }

        @Override
        public void close() {
            throw new OutOfMemoryError("played");
        }
    }

    private static final class Nobody implements PeerEvents {
        @Override
        public void onEvent(Message event) {
            throw new AssertionError("nobody says anything");
        }

        @Override
        public void onBroken(String reason) {
            throw new AssertionError(reason);
        }
    }

    @Test
    void aCloseThatFailsKeepsNoLock() throws InterruptedException {
        assertThatThrownBy(link::close).isInstanceOf(OutOfMemoryError.class);
        Thread other = Thread.ofPlatform().daemon().start(link::hasRoom);
        other.join(LONG_MS);
        assertThat(other.isAlive()).as("waits for the lock").isFalse();
        assertThat(link.brokenReason()).isEqualTo("The link is closed.");
    }
}
