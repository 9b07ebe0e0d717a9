package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.tcp.TcpBench.RawPeer;
import org.jbmi.tcp.wire.WireMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;

/** A peer closes; a send finds that before the lead has read what the peer sent. */
@Timeout(60)
class BrokenWritesTest {
    /** Sends until a write fails. The first one makes the peer's system answer with a reset. */
    private static void breakWrites(TcpBench server, PeerAddress peer) {
        TcpBench.eventually(
                () ->
                        PostResult.isPending(
                                server.context.postSend(peer, server.pattern(10, 50), 50)),
                "a write fails");
    }

    @Test
    void aMessageThatWaitsForMemoryReachesItsReceive() throws IOException {
        try (TcpBench server = TcpBench.server("tcp.earlyBytes", "64k")) {
            RawPeer raw = server.raw();
            raw.hello();
            PeerAddress peer = server.meet();
            raw.message(WireMode.RENDEZVOUS, 5, 70_000);
            raw.close();
            TcpBench.eventually(
                    () -> {
                        server.drive(1);
                        return server.counter("tcp.stalls") > 0;
                    },
                    "the message waits for memory");
            long receive = server.context.postReceive(peer, server.buffer(70_000), 5);
            breakWrites(server, peer);
            assertThat(server.await(receive)).isEqualTo(70_000);
        }
    }

    @Test
    void aMessageBehindALargeOneThatWaitsArrives() throws IOException {
        try (TcpBench server = TcpBench.server()) {
            RawPeer raw = server.raw();
            raw.hello();
            PeerAddress peer = server.meet();
            long one = server.context.postReceive(peer, server.buffer(20_000), 1);
            long two = server.context.postReceive(peer, server.buffer(10), 2);
            long four = server.context.postReceive(peer, server.buffer(10), 4);
            raw.message(WireMode.RENDEZVOUS, 1, 20_000);
            assertThat(server.await(one)).isEqualTo(20_000);
            raw.message(WireMode.EAGER, 2, 10);
            raw.message(WireMode.RENDEZVOUS, 3, 100_000);
            raw.message(WireMode.EAGER, 4, 10);
            raw.close();
            breakWrites(server, peer);
            assertThat(server.await(two)).isEqualTo(10);
            assertThat(server.await(four)).isEqualTo(10);
        }
    }
}
