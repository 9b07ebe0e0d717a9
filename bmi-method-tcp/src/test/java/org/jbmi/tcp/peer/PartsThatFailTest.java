package org.jbmi.tcp.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.tcp.address.TcpAddressGrammar;
import org.jbmi.tcp.settings.TcpCodes;
import org.jbmi.tcp.wire.SourceHash;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Steps of the parts that fail once, or that come late. */
@Timeout(60)
class PartsThatFailTest extends PartsCase {
    private static final int TAG = 5;
    private static final int FULL_TRIES = 1000;

    @Test
    void aMatchThatFailsInAMergeKeepsNoOtherReceiveFromItsMessage() {
        String name = "tcp://127.0.0.1:5";
        TcpPeer named = directory.lookup(name);
        named.handle(this);
        peer.remote = InetAddress.getLoopbackAddress();
        for (int tag = TAG; tag < TAG + 3; tag++) {
            Operation receive = new Posted(OperationKind.RECEIVE, peer, buffer(8), tag);
            peer.table.findOrAdd(0, tag).receives().addLast(receive);
            EarlyMessage message = state.takeEarly();
            long token = state.early.allocate(named.account, 8);
            message.begin(tag, 8, token, state.early.segment(token));
            named.table.findOrAdd(0, tag).sends().addLast(message);
            named.earlyCount++;
        }
        host.failCompletions = new OutOfMemoryError("planted");
        assertThatThrownBy(() -> directory.identify(connection, SourceHash.of(name)))
                .hasMessage("planted");
        assertThat(peer.successor).isSameAs(named);
        assertThat(peer.table.size()).isZero();
        assertThat(named.table.size()).isZero();
        assertThat(named.earlyCount).isZero();
    }

    @Test
    void anAskerForANameThatFailsKeepsTheAnswerFromNoOther() throws Exception {
        TcpPeer named =
                new TcpPeer(
                        TcpAddressGrammar.parse("tcp://localhost:5", settings.dialect, ""),
                        "named",
                        0);
        CountDownLatch told = new CountDownLatch(1);
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        synchronized (state.lock) { // it is asked by both before it has an answer
            names.resolve(
                    named,
                    found -> {
                        Thread.currentThread()
                                .setUncaughtExceptionHandler((thread, e) -> failure.complete(e));
                        throw new OutOfMemoryError("planted");
                    });
            names.resolve(named, found -> told.countDown());
        }
        assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(failure.get(20, TimeUnit.SECONDS)).hasMessage("planted");
    }

    @Test
    void aSendBehindAPauseHasTheWholeTimeToBeginIn() throws IOException {
        Reader reader = new Reader(state, endings, arrivals, directory, sockets);
        Dialer dialer = new Dialer(state, endings, sockets, writer, names);
        Sends sends = new Sends(state, directory, writer, dialer);
        do {
            if (!connection.blocked) {
                host.outcomes.clear();
                fillSocket();
                connection.outgoing.lastWriteNs = System.nanoTime() - settings.stallTimeoutNs;
                sends.post(new Posted(OperationKind.SEND, peer, buffer(8), TAG), peer);
                reactor(reader, dialer).poll();
                assertThat(connection.ended).isFalse();
            }
            connection.outgoing.lastWriteNs -= settings.stallTimeoutNs;
            reactor(reader, dialer).poll();
            // On a busy machine the system may move some bytes late, and make room.
        } while (!connection.ended);
        assertThat(host.outcomes).containsExactly(TcpCodes.ETIMEDOUT);
    }

    /** The lead ends the connection before the canceller looks whether there is another one. */
    @ParameterizedTest
    @EnumSource(
            value = OperationKind.class,
            names = {"SEND", "RECEIVE"})
    void aForcefulCancelEndsNothingThatIsPostedOnceItsEffectWasReported(OperationKind kind)
            throws IOException {
        TcpMethod method = TcpMethod.open(host, List.of());
        method.setOption(null, TcpOptions.FORCEFUL_CANCEL, true);
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = server.socket().getLocalPort();
            TcpPeer named = (TcpPeer) method.lookup("tcp://127.0.0.1:" + port);
            named.handle(this);
            named.connections.add(new Connection(connection.channel, named, false, null));
            Operation cancelled = new Posted(OperationKind.RECEIVE, named, buffer(8), TAG);
            assertThat(method.post(cancelled)).isEqualTo(Method.PENDING);
            host.onWake =
                    () -> {
                        host.onWake = () -> {};
                        method.waitable().poll();
                        method.post(new Posted(kind, named, buffer(8), TAG));
                    };
            method.cancel(cancelled, cancelled.id(), TcpCodes.ECANCEL);
            while (host.outcomes.size() < 2 && kind == OperationKind.SEND) {
                method.waitable().poll();
            }
            List<Integer> expected =
                    kind == OperationKind.SEND
                            ? List.of(TcpCodes.ECANCEL, 0)
                            : List.of(TcpCodes.ECANCEL);
            assertThat(host.outcomes).isEqualTo(expected); // the close ends the receive, too
            method.close();
        }
    }

    /** Leaves no room for even one byte, as long as the system moves none to the other side. */
    private void fillSocket() throws IOException {
        ByteBuffer many = ByteBuffer.allocate(1 << 16);
        while (connection.channel.write(many.clear()) > 0) {
            // The socket takes the most of it in large pieces.
        }
        ByteBuffer one = ByteBuffer.allocate(1);
        for (int tries = 0; tries < FULL_TRIES; tries++) {
            if (connection.channel.write(one.clear()) > 0) {
                tries = 0;
            }
        }
    }
}
