package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.tcp.TcpBench.RawPeer;
import org.jbmi.tcp.wire.WireMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/** Peers that do not read hold up no message to another peer. */
@Timeout(60)
class SilentPeersTest {
    private static final int SMALL_BYTES = 8000;

    /** More than both socket buffers take. */
    private static final int MESSAGES = 60;

    /** Less than half of the room for rests, and more than silent peers leave of all of it. */
    private static final int REST_BYTES = 1_000_000;

    @Test
    void sendToAnotherPeerArrives() throws IOException {
        try (TcpBench client =
                TcpBench.client("tcp.batchBytes", "1048576", "tcp.sendBufferBytes", "65536")) {
            MemorySegment out = client.pattern(SMALL_BYTES, 7);
            for (int silent = 0; silent < 32; silent++) {
                ServerSocket listener = client.rawServer(16 << 10);
                PeerAddress peer = client.lookup(listener.getLocalPort());
                long last = 0;
                for (int i = 0; i < MESSAGES; i++) {
                    last = client.context.postSend(peer, out, 7);
                }
                client.drive(5);
                assertThat(PostResult.isPending(last) && client.isPendingQuietly(last)).isTrue();
            }
            ServerSocket listener = client.rawServer(0);
            PeerAddress good = client.lookup(listener.getLocalPort());
            long sent = client.context.postSend(good, client.pattern(10, 3), 3);
            RawPeer raw = client.keep(new RawPeer(listener.accept()));
            assertThat(client.await(sent)).isEqualTo(10);
            raw.expect(WireMode.EAGER, 3, 10);
        }
    }

    @Test
    void leaveRoomForTheRestOfACancelledSend() throws Exception {
        try (TcpBench client =
                TcpBench.client(
                        "tcp.batchBytes",
                        "1048576",
                        "tcp.sendBufferBytes",
                        "65536",
                        "tcp.restBytes",
                        "2m")) {
            MemorySegment out = client.pattern(SMALL_BYTES, 7);
            for (int silent = 0; silent < 28; silent++) {
                PeerAddress peer = client.lookup(client.rawServer(16 << 10).getLocalPort());
                for (int i = 0; i < MESSAGES; i++) {
                    client.context.postSend(peer, out, 7);
                }
                client.drive(5);
            }
            ServerSocket listener = client.rawServer(16 << 10);
            PeerAddress slow = client.lookup(listener.getLocalPort());
            long cancelled = client.context.postSend(slow, client.pattern(REST_BYTES, 3), 3);
            RawPeer raw = client.keep(new RawPeer(listener.accept()));
            TcpBench.eventually(
                    () -> {
                        client.drive(1);
                        return hasBytes(raw);
                    },
                    "a part of it is on its way");
            assertThat(client.isPendingQuietly(cancelled)).isTrue();
            client.context.cancel(cancelled);
            assertThat(client.await(cancelled)).isEqualTo(REST_BYTES); // the connection stays
        }
    }

    private static boolean hasBytes(RawPeer raw) {
        try {
            return raw.socket.getInputStream().available() > 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void whatASilentPeerReadsAtLastIsWhole() throws Exception {
        try (TcpBench client =
                TcpBench.client("tcp.batchBytes", "1048576", "tcp.sendBufferBytes", "65536")) {
            MemorySegment out = client.pattern(SMALL_BYTES, 7);
            ServerSocket[] listeners = new ServerSocket[32];
            long[] last = new long[32];
            for (int silent = 0; silent < 32; silent++) {
                listeners[silent] = client.rawServer(16 << 10);
                PeerAddress peer = client.lookup(listeners[silent].getLocalPort());
                for (int i = 0; i < MESSAGES; i++) {
                    last[silent] = client.context.postSend(peer, out, 7);
                }
                client.drive(5);
            }
            for (int silent = 0; silent < 32; silent++) {
                RawPeer raw = client.keep(new RawPeer(listeners[silent].accept()));
                Thread reader = new Thread(() -> readAll(raw), "reader");
                reader.start();
                assertThat(client.await(last[silent])).isEqualTo(SMALL_BYTES);
                reader.join(20_000);
                assertThat(whole).hasValue(silent + 1);
            }
        }
    }

    private final AtomicInteger whole = new AtomicInteger();

    private void readAll(RawPeer raw) {
        try {
            for (int i = 0; i < MESSAGES; i++) {
                raw.expect(WireMode.EAGER, 7, SMALL_BYTES);
            }
            whole.incrementAndGet();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
