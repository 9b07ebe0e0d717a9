package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** The end of a link, also where its transport cannot be closed. */
@Timeout(30)
class LinkCloseTest {
    private static final long LONG_MS = TimeUnit.SECONDS.toMillis(10);
    private static final int BYTES = 1024;

    private final List<String> ends = new ArrayList<>();
    private final StreamPipe pipe = new StreamPipe(new Random(1), BYTES);

    private SocketClientLink link(StreamTransport transport) {
        return new SocketClientLink(
                transport,
                new LinkWelcome(1, 4, new SessionLimits(1 << 20, BYTES, BYTES, 64, 10)),
                new Ends(),
                NanoClock.SYSTEM,
                LinkWorld.PATIENT);
    }

    private static final class NoRoomToClose extends StreamTransport {
        NoRoomToClose(StreamPipe pipe) {
            super(pipe, pipe);
        }

        @Override
        public void close() {
            throw new OutOfMemoryError("played");
        }
    }

    private final class Ends implements PeerEvents {
        @Override
        public void onEvent(Message event) {
            throw new AssertionError("nobody says anything");
        }

        @Override
        public void onBroken(String reason) {
            ends.add(reason);
        }
    }

    @Test
    void aLinkThatBreaksSaysSoAtOnceAndOnce() {
        SocketClientLink link = link(new StreamTransport(pipe, pipe));
        link.end("it breaks");
        assertThat(ends).containsExactly("it breaks");
        link.end("it breaks again");
        assertThat(ends).hasSize(1);
    }

    @Test
    void aCloseThatFailsKeepsNoLock() throws InterruptedException {
        SocketClientLink link = link(new NoRoomToClose(pipe));
        assertThatThrownBy(link::close).isInstanceOf(OutOfMemoryError.class);
        Thread other = Thread.ofPlatform().daemon().start(link::hasRoom);
        other.join(LONG_MS);
        assertThat(other.isAlive()).as("waits for the lock").isFalse();
        assertThat(link.brokenReason()).isEqualTo("The link is closed.");
        assertThat(ends).isEmpty();
    }
}
