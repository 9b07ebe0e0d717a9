package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.tcp.TcpBench.RawPeer;
import org.jbmi.tcp.wire.WireMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.ServerSocket;

/** Messages that nobody received do not keep their memory when a looked-up peer has gone. */
@Timeout(60)
class GonePeersTest {
    private PeerAddress peer;

    private RawPeer sendEarly(TcpBench client) throws IOException {
        ServerSocket listener = client.rawServer(0);
        peer = client.lookup(listener.getLocalPort());
        long sent = client.context.postSend(peer, client.buffer(1), 1);
        RawPeer raw = client.keep(new RawPeer(listener.accept()));
        assertThat(PostResult.isPending(sent) ? client.await(sent) : sent).isEqualTo(1);
        raw.message(WireMode.EAGER, 9, 5000);
        TcpBench.eventually(
                () -> {
                    client.drive(1);
                    return client.counter("tcp.earlyHeldBytes") > 0;
                },
                "the message is held");
        return raw;
    }

    private static void expectDropped(TcpBench client) {
        TcpBench.eventually(
                () -> {
                    client.drive(1);
                    return client.counter("tcp.earlyHeldBytes") == 0;
                },
                "the message is dropped");
        assertThat(client.counter("tcp.lostEarly")).isEqualTo(1);
    }

    @Test
    void dropOfALookedUpPeerFreesItsMessages() throws IOException {
        try (TcpBench client = TcpBench.client()) {
            sendEarly(client);
            peer.drop();
            expectDropped(client);
        }
    }

    @Test
    void messagesOfAGoneServerAreKeptForATime() throws IOException {
        try (TcpBench client = TcpBench.client("tcp.earlyLingerMs", "100")) {
            sendEarly(client).close();
            expectDropped(client);
        }
    }
}
