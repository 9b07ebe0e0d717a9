package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.jbmi.tcp.TcpBench.RawPeer;
import org.jbmi.tcp.wire.Dialect;
import org.jbmi.tcp.wire.WireMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What a C program of either library does on its sockets, played by plain ones. */
@Timeout(90)
class CPeerTest {
    private static final long EPIPE = ErrorCode.EPIPE.negativeValue();
    private static final long ECONNRESET = ErrorCode.ECONNRESET.negativeValue();

    private TcpBench ours;

    @AfterEach
    void close() {
        ours.close();
    }

    private RawPeer client(Dialect dialect, String... knobs) throws IOException {
        List<String> all = new ArrayList<>(List.of("tcp.dialect", dialect.label()));
        all.addAll(List.of(knobs));
        ours = TcpBench.server(all.toArray(new String[0]));
        return ours.raw().speaking(dialect);
    }

    private ServerSocket server(Dialect dialect) throws IOException {
        ours = TcpBench.client("tcp.dialect", dialect.label());
        return ours.rawServer(0);
    }

    private void expectReceived(long posted, MemorySegment in, int size, int tag) {
        long moved = PostResult.isPending(posted) ? ours.await(posted) : posted;
        assertThat(moved).isEqualTo(size);
        TcpBench.expectPattern(in, size, tag);
    }

    private void expectReceives(PeerAddress peer, int size, int tag) {
        MemorySegment in = ours.buffer(size);
        expectReceived(ours.context.postReceive(peer, in, tag), in, size, tag);
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void earlyMessagesOfEverySizeWaitForReceivesInAnyOrder(Dialect dialect) throws IOException {
        RawPeer raw = client(dialect);
        raw.hello();
        PeerAddress peer = ours.meet();
        int[] sizes = {0, 1, 16_383, 16_384, 16_385, 102_400, 1 << 20};
        for (int i = 0; i < sizes.length; i++) {
            raw.message(WireMode.ofExpected(sizes[i]), i, sizes[i]);
        }
        raw.message(WireMode.UNEXPECTED, 77, 10);
        UnexpectedMessages behind = ours.unexpected();
        assertThat(behind.tag(0)).isEqualTo(77);
        behind.free(0);
        for (int i = sizes.length - 1; i >= 0; i--) {
            expectReceives(peer, sizes[i], i);
        }
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void tagsAreReusedInOrder(Dialect dialect) throws IOException {
        RawPeer raw = client(dialect);
        raw.hello();
        PeerAddress peer = ours.meet();
        int[] sizes = {5, 20_000, 0, 16_384, 7};
        MemorySegment first = ours.buffer(100_000);
        long posted = ours.context.postReceive(peer, first, -5);
        for (int size : sizes) {
            raw.message(WireMode.ofExpected(size), -5, size);
        }
        expectReceived(posted, first, sizes[0], -5);
        for (int i = 1; i < sizes.length; i++) {
            expectReceives(peer, sizes[i], -5);
        }
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void modesSayNothingAboutSizes(Dialect dialect) throws IOException {
        RawPeer raw = client(dialect);
        raw.hello();
        PeerAddress peer = ours.meet();
        // The class byte of expected messages is whatever lay on the sender's stack.
        raw.send(WireMode.EAGER, 1, 0x1234567, 60_000, 0xee, RawPeer.payload(60_000, 1));
        raw.send(WireMode.RENDEZVOUS, 2, 0, 10, 0x7f, RawPeer.payload(10, 2));
        raw.send(WireMode.RENDEZVOUS, 3, 0, 0, 1, new byte[0]);
        raw.message(WireMode.EAGER, 4, 0);
        expectReceives(peer, 0, 4);
        expectReceives(peer, 0, 3);
        expectReceives(peer, 10, 2);
        expectReceives(peer, 60_000, 1);
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void streamIsCutAtEveryByte(Dialect dialect) throws IOException {
        RawPeer raw = client(dialect);
        raw.hello();
        PeerAddress peer = ours.meet();
        ByteBuffer stream = ByteBuffer.allocate(500).order(ByteOrder.LITTLE_ENDIAN);
        dialect.write(stream, WireMode.EAGER, 1, 0, 11, 0);
        stream.put(RawPeer.payload(11, 1));
        dialect.write(stream, WireMode.UNEXPECTED, 2, 0, 3, 0);
        stream.put(RawPeer.payload(3, 2));
        dialect.write(stream, WireMode.EAGER, 3, 0, 20, 0);
        stream.put(RawPeer.payload(20, 3));
        int length = stream.position();
        byte[] bytes = stream.array();
        for (int cut = 1; cut < length; cut++) {
            // A list of which the message does not fill the second part, and then another message.
            MemorySegment whole = ours.buffer(40).fill((byte) 9);
            MemorySegment[] parts = {
                whole.asSlice(0, 4), whole.asSlice(10, 0), whole.asSlice(10, 20)
            };
            long list = ours.context.postReceiveList(peer, parts, 24, 1, null, PostOptions.NONE);
            MemorySegment third = ours.buffer(20);
            long next = ours.context.postReceive(peer, third, 3);
            raw.bytes(bytes, cut);
            ours.drive(1);
            raw.bytes(Arrays.copyOfRange(bytes, cut, length), length - cut);
            UnexpectedMessages second = ours.unexpected();
            assertThat(second.tag(0)).isEqualTo(2);
            TcpBench.expectPattern(second.payload(0), 3, 2);
            second.free(0);
            assertThat(ours.await(list)).isEqualTo(11);
            expectReceived(next, third, 20, 3);
            byte[] expected = RawPeer.payload(11, 1);
            for (int i = 0; i < 11; i++) {
                int at = i < 4 ? i : 10 + i - 4;
                assertThat(whole.get(ValueLayout.JAVA_BYTE, at)).isEqualTo(expected[i]);
            }
            for (int at : new int[] {4, 9, 17, 29, 39}) {
                assertThat(whole.get(ValueLayout.JAVA_BYTE, at)).isEqualTo((byte) 9);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void receiveTakesAMessageThatIsHalfThere(Dialect dialect) throws IOException {
        RawPeer raw = client(dialect);
        raw.hello();
        PeerAddress peer = ours.meet();
        for (int size : new int[] {10_000, 500_000}) {
            byte[] payload = RawPeer.payload(size, 4);
            raw.send(WireMode.ofExpected(size), 4, 0, size, 0, new byte[0]);
            raw.bytes(payload, size / 2);
            ours.drive(30);
            long small = ours.context.postReceive(peer, ours.buffer(size - 1), 4);
            assertThat(small).isEqualTo(ErrorCode.EPROTO.negativeValue());
            MemorySegment in = ours.buffer(size);
            long receive = ours.context.postReceive(peer, in, 4);
            assertThat(PostResult.isPending(receive)).isTrue();
            raw.bytes(Arrays.copyOfRange(payload, size / 2, size), size - size / 2);
            expectReceived(receive, in, size, 4);
        }
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void goneInTheMiddleOfAMessage(Dialect dialect) throws IOException {
        RawPeer first = client(dialect);
        for (int cut : new int[] {1, 12, dialect.headerBytes(), dialect.headerBytes() + 40}) {
            for (boolean reset : new boolean[] {false, true}) {
                RawPeer raw = ours.raw().speaking(dialect);
                raw.hello();
                PeerAddress peer = ours.meet();
                raw.message(WireMode.EAGER, 8, 100); // whole, and asked for only later
                long moving = ours.context.postReceive(peer, ours.buffer(100), 1);
                long other = ours.context.postReceive(peer, ours.buffer(100), 2);
                ByteBuffer out = ByteBuffer.allocate(200).order(ByteOrder.LITTLE_ENDIAN);
                dialect.write(out, WireMode.EAGER, 1, 0, 100, 0);
                out.put(RawPeer.payload(100, 1));
                raw.bytes(out.array(), cut);
                ours.drive(20);
                if (reset) {
                    raw.reset();
                } else {
                    raw.close();
                }
                assertThat(ours.await(moving)).isIn(EPIPE, ECONNRESET);
                assertThat(ours.await(other)).isIn(EPIPE, ECONNRESET);
                expectReceives(peer, 100, 8);
                long late = ours.context.postReceive(peer, ours.buffer(1), 9);
                assertThat(PostResult.isRefused(late)).isTrue();
            }
        }
        first.hello();
        expectWorks(first, ours.meet());
    }

    private void expectWorks(RawPeer raw, PeerAddress peer) throws IOException {
        raw.message(WireMode.EAGER, 30, 100);
        expectReceives(peer, 100, 30);
        long send = ours.context.postSend(peer, ours.pattern(50, 31), 31);
        assertThat(PostResult.isPending(send) ? ours.await(send) : send).isEqualTo(50);
        raw.expect(WireMode.EAGER, 31, 50);
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void tagsOfAllValuesGoBothWays(Dialect dialect) throws IOException {
        RawPeer raw = client(dialect);
        raw.hello();
        PeerAddress peer = ours.meet();
        for (int tag : new int[] {0, 1, -1, -5, Integer.MAX_VALUE, Integer.MIN_VALUE, 1 << 30}) {
            raw.message(WireMode.EAGER, tag, 33);
            expectReceives(peer, 33, tag);
            long send = ours.context.postSend(peer, ours.pattern(21, tag), tag);
            assertThat(PostResult.isPending(send) ? ours.await(send) : send).isEqualTo(21);
            raw.expect(WireMode.EAGER, tag, 21);
        }
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void whatIsPostedWhileConnectingLeavesInOrder(Dialect dialect) throws IOException {
        ServerSocket listener = server(dialect);
        PeerAddress peer = ours.lookup(listener.getLocalPort());
        long early = ours.context.postReceive(peer, ours.buffer(10), 50);
        List<Long> sends = new ArrayList<>();
        int[] sizes = {4, 20_000, 0, 16_384, 1 << 20, 3};
        for (int i = 0; i < sizes.length; i++) {
            MemorySegment out = ours.pattern(sizes[i], i);
            sends.add(
                    i == 0
                            ? ours.context.postSendUnexpected(peer, out, i)
                            : ours.context.postSend(peer, out, i));
        }
        RawPeer raw = ours.keep(new RawPeer(listener.accept())).speaking(dialect);
        Thread driver = new Thread(() -> sends.forEach(this::awaitIfPending), "driver");
        driver.start();
        for (int i = 0; i < sizes.length; i++) {
            int mode = i == 0 ? WireMode.UNEXPECTED : WireMode.ofExpected(sizes[i]);
            raw.expect(mode, i, sizes[i]);
        }
        raw.message(WireMode.EAGER, 50, 10);
        join(driver);
        assertThat(ours.await(early)).isEqualTo(10);
    }

    private void awaitIfPending(long posted) {
        assertThat(PostResult.isPending(posted) ? ours.await(posted) : posted).isNotNegative();
    }

    private static void join(Thread thread) {
        try {
            thread.join(20_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        assertThat(thread.isAlive()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void serverMaySendUnexpectedMessagesToItsClient(Dialect dialect) throws IOException {
        ServerSocket listener = server(dialect);
        PeerAddress peer = ours.lookup(listener.getLocalPort());
        awaitIfPending(ours.context.postSendUnexpected(peer, ours.pattern(4, 1), 1));
        RawPeer raw = ours.keep(new RawPeer(listener.accept())).speaking(dialect);
        raw.expect(WireMode.UNEXPECTED, 1, 4);
        raw.send(WireMode.UNEXPECTED, 9, 0x7777, 16_384, 0, RawPeer.payload(16_384, 9));
        UnexpectedMessages messages = ours.unexpected();
        assertThat(messages.peer(0)).isEqualTo(peer);
        TcpBench.expectPattern(messages.payload(0), 16_384, 9);
        messages.free(0);
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void serverThatIsStartedAgainIsConnectedAgain(Dialect dialect) throws IOException {
        ServerSocket listener = server(dialect);
        int port = listener.getLocalPort();
        PeerAddress peer = ours.lookup(port);
        for (int round = 0; round < 3; round++) {
            MemorySegment in = ours.buffer(10);
            long reply = ours.context.postReceive(peer, in, 1);
            long other = ours.context.postReceive(peer, ours.buffer(10), 2);
            awaitIfPending(ours.context.postSendUnexpected(peer, ours.pattern(4, round), round));
            RawPeer raw = new RawPeer(listener.accept()).speaking(dialect);
            raw.expect(WireMode.UNEXPECTED, round, 4);
            raw.message(WireMode.EAGER, 1, 10);
            expectReceived(reply, in, 10, 1);
            listener.close();
            raw.close();
            assertThat(ours.await(other)).isIn(EPIPE, ECONNRESET);
            long refused = ours.context.postSend(peer, ours.buffer(1), 1);
            assertThat(ours.await(refused)).isEqualTo(ErrorCode.ECONNREFUSED.negativeValue());
            listener = new ServerSocket();
            listener.setReuseAddress(true);
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            ours.keep(listener);
        }
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void peerOfTheOtherDialectIsToldApart(Dialect dialect) throws IOException {
        Dialect other = dialect.hasClasses() ? Dialect.ORANGEFS : Dialect.STANDALONE;
        ServerSocket listener = server(dialect);
        PeerAddress peer = ours.lookup(listener.getLocalPort());
        long receive = ours.context.postReceive(peer, ours.buffer(10), 1);
        awaitIfPending(ours.context.postSendUnexpected(peer, ours.pattern(4, 1), 1));
        RawPeer answering = new RawPeer(listener.accept()).speaking(other);
        answering.read(dialect.headerBytes() + 4);
        answering.message(WireMode.EAGER, 1, 10);
        assertThat(ours.await(receive)).isEqualTo(ErrorCode.EBADMSG.negativeValue());
        assertThat(answering.isClosed()).isTrue();
        answering.close();
        // One that drops us without a word, as the C libraries do.
        receive = ours.context.postReceive(peer, ours.buffer(10), 1);
        awaitIfPending(ours.context.postSendUnexpected(peer, ours.pattern(4, 1), 1));
        RawPeer dropping = new RawPeer(listener.accept());
        dropping.read(4);
        dropping.close();
        assertThat(ours.await(receive)).isIn(EPIPE, ECONNRESET);
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void listsWithEmptyPartsLeaveWhole(Dialect dialect) throws IOException {
        RawPeer raw = client(dialect);
        raw.hello();
        PeerAddress peer = ours.meet();
        for (int size : new int[] {40, 100_000}) {
            MemorySegment whole = ours.pattern(size, 6);
            List<MemorySegment> parts = new ArrayList<>();
            for (int i = 0; i < 15; i++) {
                parts.add(whole.asSlice(0, 0));
            }
            int at = 0;
            for (int i = 1; at < size; i++) {
                int length = Math.min(size - at, i * (size / 40));
                parts.add(whole.asSlice(at, length));
                parts.add(whole.asSlice(at, 0));
                at += length;
            }
            MemorySegment[] list = parts.toArray(new MemorySegment[0]);
            awaitIfPending(ours.context.postSendList(peer, list, size, 6, null, PostOptions.NONE));
            raw.expect(WireMode.ofExpected(size), 6, size);
        }
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void sizesAtAndBeyondTheLimits(Dialect dialect) throws IOException {
        RawPeer raw = client(dialect);
        raw.hello();
        PeerAddress peer = ours.meet();
        long tooLarge = ErrorCode.EMSGSIZE.negativeValue();
        MemorySegment most = ours.pattern(16 << 20, 5);
        MemorySegment more = ours.buffer((16 << 20) + 1);
        assertThat(ours.context.postSend(peer, more, 5)).isEqualTo(tooLarge);
        assertThat(ours.context.postReceive(peer, more, 5)).isEqualTo(tooLarge);
        assertThat(ours.context.postSendUnexpected(peer, more.asSlice(0, 16_385), 5))
                .isEqualTo(tooLarge);
        long send = ours.context.postSend(peer, most, 5);
        Thread driver = new Thread(() -> awaitIfPending(send), "driver");
        driver.start();
        raw.expect(WireMode.RENDEZVOUS, 5, 16 << 20);
        join(driver);
        MemorySegment in = ours.buffer(16 << 20);
        long receive = ours.context.postReceive(peer, in, 5);
        Thread writer =
                new Thread(
                        () -> {
                            try {
                                raw.message(WireMode.RENDEZVOUS, 5, 16 << 20);
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        },
                        "writer");
        writer.start();
        expectReceived(receive, in, 16 << 20, 5);
        join(writer);
        awaitIfPending(ours.context.postSendUnexpected(peer, ours.pattern(16_384, 6), 6));
        raw.expect(WireMode.UNEXPECTED, 6, 16_384);
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void manyClientsDoNotMix(Dialect dialect) throws IOException {
        RawPeer first = client(dialect);
        List<RawPeer> raws = new ArrayList<>(List.of(first));
        for (int i = 1; i < 80; i++) {
            raws.add(ours.raw().speaking(dialect));
        }
        for (int i = 0; i < raws.size(); i++) {
            raws.get(i).message(WireMode.EAGER, 5, i);
            raws.get(i).message(WireMode.UNEXPECTED, i, 8);
        }
        PeerAddress[] peers = new PeerAddress[raws.size()];
        for (int i = 0; i < peers.length; i++) {
            UnexpectedMessages messages = ours.unexpected();
            assertThat(peers[messages.tag(0)]).isNull();
            peers[messages.tag(0)] = messages.peer(0);
            messages.free(0);
        }
        for (int i = peers.length - 1; i >= 0; i--) {
            expectReceives(peers[i], i, 5);
            awaitIfPending(ours.context.postSend(peers[i], ours.pattern(i, 7), 7));
        }
        for (int i = 0; i < peers.length; i++) {
            raws.get(i).expect(WireMode.EAGER, 7, i);
        }
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void largeMessageBeyondTheMemoryStopsOnlyItsOwnConnection(Dialect dialect) throws IOException {
        RawPeer raw = client(dialect, "tcp.earlyBytes", "1m", "tcp.earlyLingerMs", "300");
        raw.hello();
        PeerAddress peer = ours.meet();
        RawPeer good = ours.raw().speaking(dialect);
        good.hello();
        PeerAddress goodPeer = ours.meet();
        raw.send(WireMode.RENDEZVOUS, 5, 0, 2 << 20, 0, new byte[0]);
        raw.bytes(RawPeer.payload(2 << 20, 5), 60_000);
        long behind = ours.context.postReceive(peer, ours.buffer(10), 6);
        ours.drive(50);
        expectWorks(good, goodPeer);
        // Nothing spins meanwhile: two tenths of a second cost next to nothing.
        long begunNs = cpuNs();
        ours.drive(200);
        assertThat(cpuNs() - begunNs).isLessThan(150_000_000L);
        raw.close();
        assertThat(ours.await(behind)).isIn(EPIPE, ECONNRESET);
        expectWorks(good, goodPeer);
    }

    private static long cpuNs() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
