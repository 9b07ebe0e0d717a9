package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.tcp.TcpBench.RawPeer;
import org.jbmi.tcp.wire.WireMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What is kept of connections that wait for memory, and how their ends are noticed. */
@Timeout(60)
class ReadAheadTest {
    private static final int CONNECTIONS = 120;
    private static final int BODY_BYTES = 60 << 10;
    private static final int AHEAD_BYTES = 64 << 10;

    /** A connection that holds all the memory for early messages, and some that wait for it. */
    private static List<RawPeer> waiting(TcpBench server, int count) throws IOException {
        RawPeer full = server.raw();
        full.send(WireMode.RENDEZVOUS, 1, 0, 1 << 20, 0, new byte[10]);
        TcpBench.eventually(
                () -> {
                    server.drive(2);
                    return server.counter("tcp.earlyHeldBytes") >= 1 << 20;
                },
                "the memory is full");
        List<RawPeer> peers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            RawPeer peer = server.raw();
            peer.hello();
            peer.send(WireMode.RENDEZVOUS, 2, 0, 1 << 20, 0, new byte[BODY_BYTES]);
            peers.add(peer);
        }
        long stalls = server.counter("tcp.stalls");
        TcpBench.eventually(
                () -> {
                    server.drive(2);
                    return server.counter("tcp.stalls") >= stalls + count;
                },
                "all wait");
        return peers;
    }

    @Test
    void hasOneBudgetForAll() throws IOException {
        try (TcpBench server =
                TcpBench.server(
                        "tcp.earlyBytes", "1m",
                        "tcp.earlyPeerBytes", "1m",
                        "tcp.aheadBytes", Integer.toString(AHEAD_BYTES))) {
            List<RawPeer> peers = waiting(server, CONNECTIONS);
            assertThat(server.counter("tcp.aheadHeldBytes")).isBetween(1L, (long) AHEAD_BYTES);
            RawPeer good = server.raw();
            good.hello();
            List<PeerAddress> met = new ArrayList<>();
            for (int i = 0; i <= CONNECTIONS; i++) {
                met.add(server.meet());
            }
            // Nothing is kept of the last ones, and they lose nothing: one after the other is read.
            for (int i = CONNECTIONS - 3; i < CONNECTIONS; i++) {
                long id = server.context.postReceive(met.get(i), server.buffer(1 << 20), 2);
                peers.get(i).bytes(new byte[(1 << 20) - BODY_BYTES], (1 << 20) - BODY_BYTES);
                assertThat(server.await(id)).isEqualTo(1 << 20);
            }
            long last = server.context.postReceive(met.get(CONNECTIONS), server.buffer(9), 7);
            good.message(WireMode.EAGER, 7, 9);
            assertThat(server.await(last)).isEqualTo(9);
        }
    }

    @Test
    void doesNotAskTheSystemBeforeAPeerIsOverdue() throws IOException {
        try (TcpBench server =
                TcpBench.server("tcp.earlyBytes", "1m", "tcp.earlyPeerBytes", "1m")) {
            waiting(server, 2);
            server.drive(1300);
            assertThat(server.counter("tcp.peerChecks")).isZero();
        }
    }

    @Test
    void asksTheSystemNowAndThenForThoseThatAreOverdue() throws IOException {
        try (TcpBench server =
                TcpBench.server(
                        "tcp.earlyBytes", "1m",
                        "tcp.earlyPeerBytes", "1m",
                        "tcp.earlyLingerMs", "100")) {
            List<RawPeer> peers = waiting(server, 2);
            PeerAddress staying = server.meet();
            PeerAddress going = server.meet();
            long there = server.context.postReceive(staying, server.buffer(10), 9);
            long gone = server.context.postReceive(going, server.buffer(10), 9);
            peers.get(1).close();
            assertThat(server.await(gone)).isEqualTo(ErrorCode.EPIPE.negativeValue());
            assertThat(server.isPendingQuietly(there)).isTrue();
            assertThat(server.counter("tcp.peerChecks")).isBetween(1L, 5L);
        }
    }
}
