package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.tcp.TcpBench.RawPeer;
import org.jbmi.testsuite.support.ChildJvm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** How a send ends of which a part is on its way when it is cancelled or its time is over. */
@Timeout(60)
class TakeOverTest {
    private static final int HEADER_BYTES = 25;
    private static final int BYTES = 4 << 20;
    private static final int ETIMEDOUT = ErrorCode.ETIMEDOUT.negativeValue();
    private static final int ECANCEL = ErrorCode.ECANCEL.negativeValue();

    /** Counts what comes until the end, or until a whole message is there. */
    private static FutureTask<Long> reader(RawPeer raw, int pieceBytes, long pauseMs) {
        FutureTask<Long> task =
                new FutureTask<>(
                        () -> {
                            InputStream in = raw.socket.getInputStream();
                            byte[] piece = new byte[pieceBytes];
                            long sum = 0;
                            int n = in.read(piece);
                            while (n >= 0) {
                                sum += n;
                                Thread.sleep(pauseMs); // a slow peer
                                n = sum < HEADER_BYTES + BYTES ? in.read(piece) : -1;
                            }
                            return sum;
                        });
        new Thread(task, "reader").start();
        return task;
    }

    @Test
    void isASuccessWhenItsTimeIsOverAndThePeerGetsItWhole() throws Exception {
        try (TcpBench client = TcpBench.client("tcp.sendBufferBytes", "65536")) {
            ServerSocket listener = client.rawServer(16 << 10);
            PeerAddress peer = client.lookup(listener.getLocalPort());
            RawPeer raw = client.connected(listener, peer);
            PostOptions soon = PostOptions.NONE.withDeadlineMs(200);
            long moving = client.send(peer, client.pattern(BYTES, 2), 2, soon);
            assertThat(client.await(moving)).isEqualTo(BYTES);
            FutureTask<Long> read = reader(raw, 64 << 10, 0);
            TcpBench.eventually(
                    () -> {
                        client.drive(5);
                        return read.isDone();
                    },
                    "the message is whole");
            assertThat(read.get()).isEqualTo(HEADER_BYTES + BYTES);
        }
    }

    @Test
    void cutsTheConnectionIfTheRestHasNoPlace() throws Exception {
        try (TcpBench client =
                TcpBench.client("tcp.sendBufferBytes", "65536", "tcp.restBytes", "1m")) {
            ServerSocket listener = client.rawServer(16 << 10);
            PeerAddress peer = client.lookup(listener.getLocalPort());
            RawPeer first = client.connected(listener, peer);
            PostOptions soon = PostOptions.NONE.withDeadlineMs(200);
            long late = client.send(peer, client.buffer(BYTES), 2, soon);
            assertThat(client.await(late)).isEqualTo(ETIMEDOUT);
            FutureTask<Long> read = reader(first, 64 << 10, 0);
            client.drive(20);
            assertThat(read.get(10, TimeUnit.SECONDS)).isLessThan(BYTES);
            long cancelled = client.context.postSend(peer, client.buffer(BYTES), 3);
            RawPeer second = client.keep(new RawPeer(listener.accept()));
            client.drive(50);
            assertThat(client.context.cancel(cancelled)).isEqualTo(CancelOutcome.REQUESTED);
            assertThat(client.await(cancelled)).isEqualTo(ECANCEL);
            read = reader(second, 64 << 10, 0);
            client.drive(20);
            assertThat(read.get(10, TimeUnit.SECONDS)).isLessThan(BYTES);
            // and a small rest has room all the same, and the peer is reached again
            assertThat(client.await(client.context.postSend(peer, client.buffer(10), 4)))
                    .isEqualTo(10);
            client.keep(listener.accept());
        }
    }

    @Test
    void slidesWithEveryByteThatMoves() throws Exception {
        try (TcpBench client =
                TcpBench.client("tcp.sendBufferBytes", "65536", "tcp.restBytes", "0")) {
            ServerSocket listener = client.rawServer(16 << 10);
            PeerAddress peer = client.lookup(listener.getLocalPort());
            PostOptions idle = PostOptions.NONE.withIdleDeadlineMs(400);
            long moving = client.send(peer, client.buffer(BYTES), 2, idle);
            RawPeer raw = client.keep(new RawPeer(listener.accept()));
            long beginNs = System.nanoTime();
            FutureTask<Long> read = reader(raw, 64 << 10, 15);
            assertThat(client.await(moving)).isEqualTo(BYTES);
            assertThat(System.nanoTime() - beginNs).isGreaterThan(500_000_000L);
            assertThat(read.get(10, TimeUnit.SECONDS)).isEqualTo(HEADER_BYTES + BYTES);
        }
    }

    @Test
    void endsWithoutMemory() throws Exception {
        Process process =
                new ProcessBuilder(
                                ChildJvm.command(
                                        TakeOverMain.class,
                                        List.of("-Xmx64m", "-XX:MaxDirectMemorySize=12m")))
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            String said = new String(process.getInputStream().readAllBytes(), "US-ASCII");
            assertThat(said.strip()).isEqualTo("8 of 8 ended, 0 thrown");
        } finally {
            process.destroyForcibly();
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Sends with a deadline to peers that do not read, in a process with little memory. */
    static final class TakeOverMain {
        private static final int PEERS = 8;

        private TakeOverMain() {}

        public static void main(String[] args) throws IOException {
            int ended = 0;
            int thrown = 0;
            TcpBench client = TcpBench.client("tcp.sendBufferBytes", "65536");
            MemorySegment data = MemorySegment.ofArray(new byte[BYTES]);
            long[] ids = new long[PEERS];
            for (int i = 0; i < PEERS; i++) {
                ServerSocket listener = client.rawServer(16 << 10);
                PeerAddress peer = client.lookup(listener.getLocalPort());
                PostOptions soon = PostOptions.NONE.withDeadlineMs(400);
                ids[i] = client.send(peer, data, 1, soon);
                client.keep(listener.accept());
            }
            for (long id : ids) {
                try {
                    client.await(id);
                    ended++;
                } catch (OutOfMemoryError e) {
                    thrown++;
                }
            }
            System.out.println(ended + " of " + PEERS + " ended, " + thrown + " thrown");
            Runtime.getRuntime().halt(0);
        }
    }
}
