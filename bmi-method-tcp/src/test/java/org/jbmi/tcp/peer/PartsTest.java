package org.jbmi.tcp.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.spi.MatchTable;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.tcp.address.TcpAddressGrammar;
import org.jbmi.tcp.memory.PeerAccount;
import org.jbmi.tcp.settings.TcpCodes;
import org.jbmi.tcp.wire.Dialect;
import org.jbmi.tcp.wire.SourceHash;
import org.jbmi.tcp.wire.WireMode;
import org.jbmi.testsuite.support.StuckWrite;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/** The parts by themselves, where a test cannot make the whole fail or stop at a moment. */
@Timeout(60)
class PartsTest extends PartsCase {
    private static final int TAG = 5;
    private static final int BEFORE_BYTES = 10_000;
    private static final int LARGE_BYTES = 100_000;

    @Test
    void aCloseFreesAllMemoryThatNoNativeCallHolds() throws IOException {
        Dialer dialer = new Dialer(state, endings, sockets, writer, names);
        Closing closing = new Closing(state, endings, writer, dialer, directory);
        MemorySegment held =
                state.unexpected.segment(state.unexpected.allocate(new PeerAccount(), 1));
        MemorySegment early = state.early.segment(state.early.allocate(new PeerAccount(), 1));
        MemorySegment block = state.pool.allocate(8);
        try (StuckWrite write = new StuckWrite(held)) {
            write.awaitBegin();
            assertThatThrownBy(() -> closing.close(List.of(), selector, System.nanoTime()))
                    .isInstanceOf(IllegalStateException.class);
        }
        assertThat(early.scope().isAlive()).as("the early memory").isFalse();
        assertThat(block.scope().isAlive()).as("the pool").isFalse();
    }

    @Test
    void aCloseEndsTheReceivesOfAPeerWhoseSendsFailToEnd() {
        Dialer dialer = new Dialer(state, endings, sockets, writer, names);
        Closing closing = new Closing(state, endings, writer, dialer, directory);
        TcpPeer named = directory.lookup("tcp://127.0.0.1:5");
        named.sends.addLast(new Posted(OperationKind.SEND, named, buffer(8), TAG));
        MatchTable.Entry entry = named.table.findOrAdd(0, TAG);
        entry.receives().addLast(new Posted(OperationKind.RECEIVE, named, buffer(8), TAG));
        host.failCompletions = new OutOfMemoryError("planted");
        assertThatThrownBy(() -> closing.close(List.of(), selector, System.nanoTime()))
                .hasMessage("planted");
        assertThat(entry.isEmpty()).isTrue();
        assertThat(selector.isOpen()).isFalse();
    }

    /** The writer passes over a send that has expired, so no write follows its end. */
    @Test
    void aMergeFollowsTheCancelOfTheLastSendThatItWaitsFor() {
        peer.remote = InetAddress.getLoopbackAddress();
        String name = "tcp://127.0.0.1:5";
        TcpPeer named = directory.lookup(name);
        named.handle(this);
        named.dialing = true;
        Dialer dialer = new Dialer(state, endings, sockets, writer, names);
        Sends sends = new Sends(state, directory, writer, dialer);
        Operation send = new Posted(OperationKind.SEND, peer, buffer(8), TAG);
        send.methodState(TcpState.QUEUED);
        peer.sends.addLast(send);
        assertThat(directory.identify(connection, SourceHash.of(name))).isTrue();
        assertThat(connection.peer).isSameAs(peer);
        sends.cancel(send, 1, TcpCodes.ETIMEDOUT);
        assertThat(connection.peer).isSameAs(named);
    }

    @Test
    void aFlushThatFailsStopsNoOther() throws IOException {
        Connection first = connection;
        SocketChannel firstFar = far;
        TcpPeer second = new TcpPeer(List.of(), "second", 0);
        try {
            connect(second);
            synchronized (state.lock) {
                host.failCompletions = new OutOfMemoryError("planted");
                for (Connection each : List.of(first, first, connection)) {
                    Operation send = new Posted(OperationKind.SEND, each.peer, buffer(8), TAG);
                    send.methodState(TcpState.QUEUED);
                    each.peer.sends.addLast(send);
                    writer.cork(each);
                }
            }
            ByteBuffer message = ByteBuffer.allocate(Dialect.STANDALONE.headerBytes() + 8);
            while (message.hasRemaining()) {
                assertThat(far.read(message)).isPositive();
            }
        } finally {
            first.channel.close();
            firstFar.close();
        }
    }

    @Test
    void aMessageThatCannotBeDeliveredGivesItsMemoryBack() {
        connection.incoming.header.mode = WireMode.UNEXPECTED;
        connection.incoming.header.sizeBytes = 100;
        assertThat(arrivals.place(connection, false)).isTrue();
        assertThat(state.counters.unexpectedHeldBytes.get()).isPositive();
        host.failDelivery = new OutOfMemoryError("planted");
        assertThatThrownBy(() -> arrivals.finish(connection)).hasMessage("planted");
        endings.end(connection, TcpCodes.ENOMEM);
        assertThat(state.counters.unexpectedHeldBytes.get()).isZero();
    }

    @Test
    void anEndThatFailsClosesTheSocketAndEndsAllOperations() throws IOException {
        connection.incoming.header.tag = TAG;
        connection.incoming.header.sizeBytes = 100;
        assertThat(arrivals.place(connection, false)).isTrue();
        Operation receive = new Posted(OperationKind.RECEIVE, peer, buffer(8), TAG + 1);
        MatchTable.Entry entry = peer.table.findOrAdd(0, TAG + 1);
        entry.receives().addLast(receive);
        state.stashes.keep(connection, ByteBuffer.allocate(10));
        try (SocketChannel channel = SocketChannel.open()) {
            state.stall(new Connection(channel, peer, true, null)); // waits for the memory
            host.failCompletions = new OutOfMemoryError("planted");
            assertThatThrownBy(() -> endings.end(connection, TcpCodes.EPIPE)).hasMessage("planted");
        }
        assertThat(connection.channel.isOpen()).isFalse();
        assertThat(state.counters.aheadHeldBytes.get()).isZero();
        assertThat(state.counters.earlyHeldBytes.get()).isZero();
        assertThat(entry.isEmpty()).isTrue();
        assertThat(peer.failure).isEqualTo(TcpCodes.EPIPE);
    }

    @Test
    void aCheckOfThePeersForWhichThereIsNoThreadIsTriedAgain() {
        List<Runnable> tasks = new ArrayList<>();
        Executor threads =
                task -> {
                    tasks.add(task);
                    if (tasks.size() == 1) {
                        throw new OutOfMemoryError("planted");
                    }
                };
        PeerCheck check = new PeerCheck(state, threads);
        long nowNs = System.nanoTime();
        connection.incoming.parkedSinceNs = nowNs - settings.earlyLingerNs - 1;
        assertThatCode(() -> check.look(List.of(connection), nowNs)).doesNotThrowAnyException();
        check.look(List.of(connection), nowNs + HOUR_NS);
        assertThat(tasks).hasSize(2);
    }

    @Test
    void onlyBytesOfItsOwnMessageMoveTheIdleDeadlineOfAReceive() throws IOException {
        Posted receive = new Posted(OperationKind.RECEIVE, peer, buffer(LARGE_BYTES), TAG);
        receive.idles();
        receive.methodState(TcpState.POSTED);
        peer.table.findOrAdd(0, TAG).receives().addLast(receive);
        Reader reader = new Reader(state, endings, arrivals, directory, sockets);
        Incoming incoming = connection.incoming;
        write(header(TAG + 1, BEFORE_BYTES), BEFORE_BYTES / 2);
        read(reader, () -> incoming.bodyDone == BEFORE_BYTES / 2);
        long deadlineNs = receive.remainingNs(0);
        ByteBuffer rest = ByteBuffer.allocate(BEFORE_BYTES / 2 + 64);
        rest.position(BEFORE_BYTES / 2).put(header(TAG, LARGE_BYTES)).flip();
        write(rest, 0);
        read(reader, () -> connection.inOperation != null);
        assertThat(receive.remainingNs(0)).isEqualTo(deadlineNs);
        write(ByteBuffer.allocate(0), 1);
        read(reader, () -> incoming.bodyDone == 1);
        assertThat(receive.remainingNs(0)).isGreaterThan(deadlineNs);
    }

    @Test
    void aCloseFreesTheMemoryOfMessages() {
        MemorySegment unexpected =
                state.unexpected.segment(state.unexpected.allocate(peer.account, 1));
        MemorySegment early = state.early.segment(state.early.allocate(peer.account, 1));
        Dialer dialer = new Dialer(state, endings, sockets, writer, names);
        new Closing(state, endings, writer, dialer, directory)
                .close(List.of(), selector, System.nanoTime() + HOUR_NS);
        assertThat(unexpected.scope().isAlive()).isFalse();
        assertThat(early.scope().isAlive()).isFalse();
    }

    /** The peer answers the end of the connection before the lead has closed it. */
    @ParameterizedTest
    @CsvSource({"false, 0", "true, 0", "true, 1", "true, 2"})
    void whatTheProgramEndsIsCancelledWhateverThePeerDoesThen(boolean isReset, int brokenWrites)
            throws IOException {
        Operation receive = new Posted(OperationKind.RECEIVE, peer, buffer(8), TAG);
        peer.table.findOrAdd(0, TAG).receives().addLast(receive);
        connection.started.addLast(new Posted(OperationKind.SEND, peer, buffer(8), TAG));
        endings.force(connection, TcpCodes.ECANCEL);
        if (isReset) {
            far.setOption(StandardSocketOptions.SO_LINGER, 0);
        }
        far.close();
        if (brokenWrites > 0) {
            endings.writesBroken(
                    connection, brokenWrites == 1 ? TcpCodes.EPIPE : TcpCodes.ECONNRESET);
        }
        Reader reader = new Reader(state, endings, arrivals, directory, sockets);
        while (!connection.ended) {
            reader.readable(connection);
        }
        assertThat(host.outcomes).containsExactly(TcpCodes.ECANCEL, TcpCodes.ECANCEL);
        assertThat(peer.failure).isEqualTo(TcpCodes.ECANCEL);
    }

    private static ByteBuffer header(int tag, int sizeBytes) {
        ByteBuffer out = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        Dialect.STANDALONE.write(out, WireMode.ofExpected(sizeBytes), tag, 0, sizeBytes, 0);
        return out.flip();
    }

    private void write(ByteBuffer bytes, int furtherBytes) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(bytes.remaining() + furtherBytes).put(bytes).clear();
        while (all.hasRemaining()) {
            far.write(all);
        }
    }

    private void read(Reader reader, BooleanSupplier until) {
        while (!until.getAsBoolean()) {
            reader.readable(connection);
            assertThat(connection.ended).isFalse();
        }
    }

    /** The selector does not know the connection, as if it had reported enough others. */
    @Test
    void theFirstRoundAfterAPauseLooksOnceBeforeItEndsAConnection() throws IOException {
        Reader reader = new Reader(state, endings, arrivals, directory, sockets);
        Dialer dialer = new Dialer(state, endings, sockets, writer, names);
        ByteBuffer header = header(TAG, 10);
        write(header.slice(0, 5), 0);
        read(reader, () -> connection.incoming.partialBytes == 5);
        connection.incoming.waitingSinceNs -= settings.headerTimeoutNs;
        write(header.position(5), 5);
        reactor(reader, dialer).poll();
        assertThat(connection.ended).isFalse();
        connection.incoming.waitingSinceNs -= settings.stallTimeoutNs;
        write(ByteBuffer.allocate(0), 4);
        reactor(reader, dialer).poll();
        assertThat(connection.ended).isFalse();
        connection.incoming.waitingSinceNs -= settings.stallTimeoutNs;
        reactor(reader, dialer).poll();
        assertThat(connection.ended).isTrue();
    }

    @Test
    void theFirstRoundAfterAPauseWritesBeforeItEndsAConnection() throws IOException {
        Reader reader = new Reader(state, endings, arrivals, directory, sockets);
        Dialer dialer = new Dialer(state, endings, sockets, writer, names);
        int largeBytes = 32 << 20; // more than the two sockets take
        Operation send = new Posted(OperationKind.SEND, peer, buffer(largeBytes), TAG);
        assertThat(new Sends(state, directory, writer, dialer).post(send, peer))
                .isEqualTo(Method.PENDING);
        assertThat(connection.blocked).isTrue();
        ByteBuffer sink = ByteBuffer.allocate((int) connection.outgoing.writtenBytes);
        while (sink.hasRemaining()) {
            far.read(sink);
        }
        connection.outgoing.lastWriteNs -= settings.stallTimeoutNs;
        reactor(reader, dialer).poll();
        assertThat(connection.ended).isFalse();
        while (!connection.ended) { // until the socket is full again
            connection.outgoing.lastWriteNs -= settings.stallTimeoutNs;
            reactor(reader, dialer).poll();
        }
    }

    @Test
    void theFirstRoundAfterAPauseReadsBeforeItEndsAConnectionThatCannotBeWritten()
            throws IOException {
        Reader reader = new Reader(state, endings, arrivals, directory, sockets);
        Dialer dialer = new Dialer(state, endings, sockets, writer, names);
        Operation receive = new Posted(OperationKind.RECEIVE, peer, buffer(10), TAG);
        receive.methodState(TcpState.POSTED);
        peer.table.findOrAdd(0, TAG).receives().addLast(receive);
        write(header(TAG, 10), 10);
        connection.writeError = TcpCodes.EPIPE;
        connection.outgoing.lastWriteNs -= HOUR_NS;
        connection.incoming.restsSinceNs = System.nanoTime() + HOUR_NS;
        reactor(reader, dialer).poll();
        assertThat(connection.ended).isFalse();
        assertThat(peer.table.size()).isZero();
        reactor(reader, dialer).poll();
        assertThat(connection.ended).isTrue();
    }

    @Test
    void theFirstRoundAfterAPauseFindsTheConnectionThatIsThere() {
        Dialer dialer = new Dialer(state, endings, sockets, writer, names);
        TcpPeer named = directory.lookup("tcp://127.0.0.1:5");
        named.handle(this);
        Dial dial = dialer.begin(named);
        Connection dialed = new Connection(connection.channel, named, false, named.remote);
        dialed.dial = dial;
        dial.current = dialed;
        dial.deadlineNs -= HOUR_NS;
        named.out = dialed;
        named.connections.add(dialed);
        dialer.checkDeadlines(System.nanoTime());
        assertThat(dialed.established).isTrue();
        assertThat(named.dialing).isFalse();
        assertThat(state.dials).isEmpty();
    }

    @Test
    void anAttemptThatFailsGivesTheMessagesOfAPeerThatHasGoneNoMoreTime() {
        TcpPeer named =
                new TcpPeer(
                        TcpAddressGrammar.parse("tcp://named:5", settings.dialect, ""), "named", 0);
        named.handle(this);
        named.earlyCount = 1;
        endings.dialFailed(named, TcpCodes.EPIPE);
        assertThat(state.lingering).containsExactly(named);
        long untilNs = named.lingerUntilNs;
        while (System.nanoTime() + settings.earlyLingerNs <= untilNs) {
            Thread.onSpinWait();
        }
        endings.dialFailed(named, TcpCodes.EPIPE);
        assertThat(state.lingering).containsExactly(named);
        assertThat(named.lingerUntilNs).isEqualTo(untilNs);
    }
}
