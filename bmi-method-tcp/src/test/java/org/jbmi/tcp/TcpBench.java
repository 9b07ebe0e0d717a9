package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.UnexpectedMessages;
import org.jbmi.tcp.wire.Dialect;
import org.jbmi.tcp.wire.SourceHash;
import org.jbmi.tcp.wire.WireMode;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** A server or client with a context, raw sockets beside it, and helpers; closes everything. */
final class TcpBench implements AutoCloseable {
    private static final long LIMIT_NS = 20_000_000_000L;
    private static final int SPARE_BYTES = 5000;

    final Bmi bmi;
    final CompletionContext context;
    final Arena arena = Arena.ofShared();
    private MemorySegment outgoing = MemorySegment.NULL;
    private MemorySegment incoming = MemorySegment.NULL;
    private final Set<Long> finished = new HashSet<>();
    private final List<AutoCloseable> others = new ArrayList<>();

    private TcpBench(Bmi bmi) {
        this.bmi = bmi;
        this.context = bmi.openContext();
    }

    static TcpBench server(String... knobs) {
        return new TcpBench(
                builder(knobs).listen("tcp://127.0.0.1:0").knob("tcp.bindSpecific", "true").open());
    }

    static TcpBench client(String... knobs) {
        return new TcpBench(builder(knobs).open());
    }

    static TcpBench of(BmiBuilder builder) {
        return new TcpBench(builder.open());
    }

    static BmiBuilder builder(String... knobs) {
        BmiBuilder builder = Bmi.builder();
        for (int i = 0; i < knobs.length; i += 2) {
            builder.knob(knobs[i], knobs[i + 1]);
        }
        return builder;
    }

    int port() {
        return bmi.getOption(TcpOptions.PORT);
    }

    PeerAddress lookup(int port) {
        return bmi.lookup("tcp://127.0.0.1:" + port);
    }

    /** A raw peer that connects to this server. */
    RawPeer raw() throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port()), 5000);
        return keep(new RawPeer(socket));
    }

    /** A raw server for this client. */
    ServerSocket rawServer(int receiveBufferBytes) throws IOException {
        ServerSocket server = new ServerSocket();
        if (receiveBufferBytes > 0) {
            server.setReceiveBufferSize(receiveBufferBytes);
        }
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.setSoTimeout(10_000);
        return keep(server);
    }

    /** A raw peer to which this client is connected, so that the next post writes to it at once. */
    RawPeer connected(ServerSocket listener, PeerAddress peer) throws IOException {
        long first = context.postSend(peer, buffer(0), 1);
        RawPeer raw = keep(new RawPeer(listener.accept()));
        assertThat(await(first)).isZero();
        raw.expect(WireMode.EAGER, 1, 0);
        return raw;
    }

    <T extends AutoCloseable> T keep(T other) {
        others.add(other);
        return other;
    }

    MemorySegment buffer(long sizeBytes) {
        return arena.allocate(Math.max(1, sizeBytes)).asSlice(0, sizeBytes);
    }

    MemorySegment pattern(long sizeBytes, int tag) {
        MemorySegment memory = buffer(sizeBytes);
        for (long i = 0; i < sizeBytes; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + tag * 17 + 7));
        }
        return memory;
    }

    /** The same memory at each call, with the pattern of a tag. */
    MemorySegment outgoing(int tag) {
        if (outgoing.byteSize() == 0) {
            outgoing = buffer(SPARE_BYTES);
        }
        for (long i = 0; i < SPARE_BYTES; i++) {
            outgoing.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + tag * 17 + 7));
        }
        return outgoing;
    }

    /** The same memory at each call, blank. */
    MemorySegment incoming() {
        if (incoming.byteSize() == 0) {
            incoming = buffer(SPARE_BYTES);
        }
        return incoming.fill((byte) 0);
    }

    static void expectPattern(MemorySegment memory, long sizeBytes, int tag) {
        for (long i = 0; i < sizeBytes; i++) {
            byte expected = (byte) (i * 31 + tag * 17 + 7);
            if (memory.get(ValueLayout.JAVA_BYTE, i) != expected) {
                throw new AssertionError("byte " + i + " of a message with tag " + tag);
            }
        }
    }

    static void eventually(BooleanSupplier condition, String what) {
        long endNs = System.nanoTime() + LIMIT_NS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - endNs).as(what).isNegative();
        }
    }

    /** Waits for an operation; returns its error, and its size if it has none. */
    long await(long id) {
        Completions done = Completions.ofCapacity(1);
        eventually(() -> context.test(id, done, 20) == 1, "operation completes");
        return !done.outcome(0).isSuccess() ? done.outcome(0).negativeValue() : done.sizeBytes(0);
    }

    /** Whether an operation is pending; its outcome is taken if it is not, and must be good. */
    boolean isPendingQuietly(long id) {
        if (finished.contains(id)) {
            return false;
        }
        Completions done = Completions.ofCapacity(1);
        if (context.test(id, done, 0) == 0) {
            return true;
        }
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.SUCCESS);
        finished.add(id);
        return false;
    }

    /** Waits for an unexpected message. */
    UnexpectedMessages unexpected() {
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        eventually(() -> bmi.testUnexpected(messages, 20) == 1, "unexpected message");
        return messages;
    }

    /** Takes the first message of a peer, which tells who it is. */
    PeerAddress meet() {
        UnexpectedMessages messages = unexpected();
        PeerAddress peer = messages.peer(0);
        messages.free(0);
        return peer;
    }

    long send(PeerAddress peer, MemorySegment buffer, int tag, PostOptions options) {
        return context.postSend(peer, buffer, tag, null, options);
    }

    long counter(String label) {
        return Objects.requireNonNull(bmi.counters().find(label), label).get();
    }

    /** Lets the library look at its sockets for a while. */
    void drive(int ms) {
        Completions none = Completions.ofCapacity(1);
        try (CompletionContext other = bmi.openContext()) {
            other.testContext(none, ms);
        }
    }

    @Override
    public void close() {
        bmi.close();
        for (AutoCloseable other : others) {
            try {
                other.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        arena.close();
    }

    /** A plain socket that speaks a dialect, standalone at first, or nonsense. */
    static final class RawPeer implements AutoCloseable {
        final Socket socket;
        private Dialect dialect = Dialect.STANDALONE;

        RawPeer(Socket socket) throws IOException {
            this.socket = socket;
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(10_000);
        }

        RawPeer speaking(Dialect other) {
            dialect = other;
            return this;
        }

        void send(int mode, int tag, int hash, long size, int messageClass, byte[] payload)
                throws IOException {
            ByteBuffer out =
                    ByteBuffer.allocate(64 + payload.length).order(ByteOrder.LITTLE_ENDIAN);
            dialect.write(out, mode, tag, hash, size, messageClass);
            out.put(payload);
            bytes(out.array(), out.position());
        }

        void message(int mode, int tag, int size) throws IOException {
            send(mode, tag, 0, size, 0, payload(size, tag));
        }

        /** Says as which server it sends. */
        void greet(String name, int tag) throws IOException {
            send(WireMode.UNEXPECTED, tag, SourceHash.of(name), 4, 0, payload(4, tag));
        }

        void hello() throws IOException {
            message(WireMode.UNEXPECTED, 1000, 4);
        }

        void bytes(byte[] bytes, int length) throws IOException {
            socket.getOutputStream().write(bytes, 0, length);
        }

        byte[] read(int count) throws IOException {
            return socket.getInputStream().readNBytes(count);
        }

        /** Reads a message and compares all its bytes; a server's hash may be any. */
        void expect(int mode, int tag, int size) throws IOException {
            ByteBuffer wanted = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
            byte[] header = read(dialect.headerBytes());
            int hash =
                    dialect.hasClasses()
                            ? ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt(12)
                            : 0;
            dialect.write(wanted, mode, tag, hash, size, 0);
            assertThat(header).isEqualTo(Arrays.copyOf(wanted.array(), dialect.headerBytes()));
            assertThat(Arrays.equals(read(size), payload(size, tag))).isTrue();
        }

        /** Whether the other side has closed. */
        boolean isClosed() {
            try {
                return socket.getInputStream().read() < 0;
            } catch (IOException e) {
                return !(e instanceof java.net.SocketTimeoutException);
            }
        }

        static byte[] payload(int size, int tag) {
            byte[] payload = new byte[size];
            for (int i = 0; i < size; i++) {
                payload[i] = (byte) (i * 31 + tag * 17 + 7);
            }
            return payload;
        }

        /** Closes so that the other side is reset. */
        void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
