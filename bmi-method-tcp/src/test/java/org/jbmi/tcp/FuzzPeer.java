package org.jbmi.tcp;

import org.jbmi.tcp.wire.Dialect;
import org.jbmi.tcp.wire.WireMode;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.Random;

/**
 * A peer that chance leads. Most of what it sends is right, so that its stream gets into every
 * state; now and then a header is bent, cut, replaced, or the stream ends. It never waits.
 */
final class FuzzPeer implements AutoCloseable {
    /** What waits to be written is no more than this: then the peer gives up. */
    private static final int MAX_WAITING_BYTES = 1 << 20;

    /** What has sent no more may close rather than be cut off. */
    private static final int MAX_CLOSING_BYTES = 32 << 10;

    private static final int[] SIZES = {0, 1, 7, 64, 1000, 4096, 16_383, 16_384};
    private static final int[] LARGE_SIZES = {16_385, 20_000, 70_000, 300_000};
    private static final long[] ODD_SIZES = {
        -1,
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        1L << 31,
        1L << 32,
        (1L << 32) + 5,
        1L << 45,
        (16 << 20) + 1,
        16 << 20,
        16_385,
        60_000
    };
    private static final int[] ODD_MODES = {0, 1, 3, 5, 6, 7, 9, 16, -1, Integer.MIN_VALUE, 2 << 8};

    final int serial;
    private final SocketChannel channel;
    private final Dialect dialect;
    private final Random random;
    private final ByteBuffer out =
            ByteBuffer.allocate(MAX_WAITING_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer in = ByteBuffer.allocate(4096);

    /** Bytes of the message under way that were not sent yet; the pattern goes on there. */
    private int bodyLeft;

    private int bodyDone;
    private int bodyTag;

    /** Whether the other side may understand the stream otherwise than this one does. */
    boolean bent;

    /** Whether a header was sent that must end the connection, with nothing bent before it. */
    boolean doomed;

    /** Expected bytes that it sent, all of which may have to be kept. */
    long expectedBytes;

    /** Unexpected messages that were sent whole; their tags count up from 0. */
    int unexpectedSent;

    /** The tag of the next unexpected message that must arrive. */
    int unexpectedNext;

    boolean gone;
    private long sentBytes;

    FuzzPeer(int serial, int port, Dialect dialect, Random random) throws IOException {
        this.serial = serial;
        this.dialect = dialect;
        this.random = random;
        channel = SocketChannel.open();
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        // Other addresses of this host, so that the ports of one are not used up.
        String host = "127.0.0." + (1 + random.nextInt(100));
        channel.bind(new InetSocketAddress(host, 0));
        channel.connect(new InetSocketAddress("127.0.0.1", port));
        channel.configureBlocking(false);
        if (random.nextInt(8) != 0) {
            hello();
        }
    }

    /** Says who it is. */
    private void hello() {
        header(WireMode.UNEXPECTED, unexpectedSent++, 0, Integer.BYTES, 0);
        out.putInt(serial);
    }

    private void header(int mode, int tag, int hash, long size, int messageClass) {
        dialect.write(out, mode, tag, hash, size, messageClass);
    }

    /** Sends one more input. */
    void next() throws IOException {
        if (out.remaining() < 400_000) {
            reset();
            return;
        }
        if (bodyLeft > 0) {
            goOn();
        } else {
            begin();
        }
        if (random.nextInt(3) == 0) {
            flushSome();
        } else {
            flush();
        }
        listen();
        if (random.nextInt(60) == 0) {
            end();
        }
    }

    private void begin() {
        int kind = random.nextInt(100);
        if (kind < 45) {
            message(WireMode.UNEXPECTED, unexpectedSent, size(SIZES));
        } else if (kind < 70) {
            message(WireMode.EAGER, random.nextInt(6), size(SIZES));
        } else if (kind < 80) {
            message(WireMode.RENDEZVOUS, random.nextInt(6), size(LARGE_SIZES));
        } else if (kind < 83) {
            message(WireMode.RENDEZVOUS, random.nextInt(6), size(SIZES)); // small, and yet large
        } else {
            wrong(kind);
        }
    }

    private void wrong(int kind) {
        if (kind < 88) {
            bend();
        } else if (kind < 91) {
            odd(WireMode.EAGER, ODD_SIZES[random.nextInt(ODD_SIZES.length)]);
        } else if (kind < 93) {
            odd(WireMode.UNEXPECTED, ODD_SIZES[random.nextInt(ODD_SIZES.length)]);
        } else if (kind < 95) {
            odd(ODD_MODES[random.nextInt(ODD_MODES.length)], random.nextInt(100));
        } else if (kind < 96) {
            Dialect other = dialect.hasClasses() ? Dialect.ORANGEFS : Dialect.STANDALONE;
            other.write(out, WireMode.EAGER, 1, 0, 0, 0);
            doomed = !bent;
            bent = true;
        } else if (kind < 98) {
            byte[] noise = new byte[1 + random.nextInt(200)];
            random.nextBytes(noise);
            out.put(noise);
            bent = true;
        } else {
            // The beginning of a header, and then whatever comes.
            header(WireMode.EAGER, 1, random.nextInt(), 10, 0);
            out.position(out.position() - 1 - random.nextInt(dialect.headerBytes() - 1));
            bent = true;
        }
    }

    private int size(int[] sizes) {
        return random.nextBoolean()
                ? sizes[random.nextInt(sizes.length)]
                : random.nextInt(sizes[sizes.length - 1]);
    }

    private void message(int mode, int tag, int size) {
        int hash = random.nextInt(10) == 0 ? random.nextInt() : 0;
        int messageClass = mode == WireMode.UNEXPECTED ? random.nextInt(3) : random.nextInt(256);
        header(mode, tag, hash, size, messageClass);
        if (mode == WireMode.UNEXPECTED) {
            unexpectedSent++;
        } else {
            expectedBytes += size;
        }
        bodyTag = tag;
        bodyDone = 0;
        bodyLeft = size;
        int part = random.nextInt(5) == 0 ? random.nextInt(size + 1) : size;
        pattern(part);
    }

    private void goOn() {
        pattern(random.nextBoolean() ? bodyLeft : 1 + random.nextInt(bodyLeft));
    }

    private void pattern(int length) {
        for (int i = 0; i < length; i++) {
            out.put(pattern(bodyTag, bodyDone + i));
        }
        bodyDone += length;
        bodyLeft -= length;
    }

    static byte pattern(int tag, int i) {
        return (byte) (i * 31 + tag * 17 + 7);
    }

    /** A right header with one to three wrong bits. */
    private void bend() {
        int at = out.position();
        header(WireMode.EAGER, random.nextInt(6), 0, random.nextInt(50), 0);
        for (int i = random.nextInt(3); i >= 0; i--) {
            int bit = random.nextInt(Byte.SIZE * dialect.headerBytes());
            int index = at + bit / Byte.SIZE;
            out.put(index, (byte) (out.get(index) ^ (1 << (bit % Byte.SIZE))));
        }
        bent = true;
    }

    private void odd(int mode, long size) {
        header(mode, 3, 0, size, 0);
        boolean unexpected = mode == WireMode.UNEXPECTED;
        boolean known = unexpected || mode == WireMode.EAGER || mode == WireMode.RENDEZVOUS;
        boolean fits = size >= 0 && size <= (unexpected ? 16_384 : 16 << 20);
        doomed = !bent && !(known && fits);
        bent = true;
    }

    private void flush() throws IOException {
        try {
            sentBytes += channel.write(out.flip());
        } catch (IOException e) {
            gone = true; // it was thrown out
        } finally {
            out.compact();
        }
        if (gone) {
            close();
        }
    }

    /** Cuts what waits at any byte. */
    private void flushSome() throws IOException {
        int end = out.position();
        int part = end == 0 ? 0 : random.nextInt(end + 1);
        ByteBuffer some = out.duplicate().position(0).limit(part);
        try {
            sentBytes += channel.write(some);
        } catch (IOException e) {
            gone = true;
            close();
            return;
        }
        out.limit(end).position(some.position());
        out.compact();
    }

    /** Whether the other side has ended it. */
    boolean listen() throws IOException {
        if (gone) {
            return true;
        }
        try {
            gone = channel.read(in.clear()) < 0;
        } catch (IOException e) {
            gone = true;
        }
        if (gone) {
            close();
        }
        return gone;
    }

    /** Writes all that it still wants to say, without waiting for it to be read. */
    void finish() throws IOException {
        flush();
    }

    boolean hasWaiting() {
        return out.position() > 0;
    }

    private void end() throws IOException {
        if (random.nextBoolean() || sentBytes > MAX_CLOSING_BYTES) {
            reset(); // a close would wait in the system behind what nobody reads
        } else {
            flush();
            gone = true;
            close();
        }
    }

    /** Ends it so that nothing of it stays in the system's tables. */
    void reset() throws IOException {
        gone = true;
        if (channel.isOpen()) {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        }
        close();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
