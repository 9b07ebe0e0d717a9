package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;
import org.jbmi.tcp.wire.Dialect;
import org.jbmi.tcp.wire.WireMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * Many peers of this host send more small messages than the server takes: the buffers in front of
 * it stay small and equal, so that no peer sends many times as much as another.
 */
@Timeout(120)
class ManyFloodsTest {
    private static final int SENDERS = 128;
    private static final int ROUNDS = 6;
    private static final int PAYLOAD_BYTES = 64;
    private static final int BLOCK_MESSAGES = 256;
    private static final int SEND_BUFFER_BYTES = 16 << 10;

    /**
     * What fits between a sender and a server that reads nothing. Without a bound the system has
     * several times as much in the last round.
     */
    private static final long MOST_BYTES = 200 << 10;

    private static final int LARGE_BYTES = 1 << 20;
    private static final int LARGE_TAG = 5;

    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(64);
    private final List<Sender> senders = new ArrayList<>();
    private TcpBench server;
    private long takenCount;

    /** Writes whole messages, as much as the system takes. */
    private static final class Sender implements AutoCloseable {
        final SocketChannel channel;
        final ByteBuffer block = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
        long sentBytes;

        Sender(int port) throws IOException {
            channel = SocketChannel.open();
            channel.setOption(StandardSocketOptions.SO_SNDBUF, SEND_BUFFER_BYTES);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.connect(new InetSocketAddress("127.0.0.1", port));
            for (int i = 0; i < BLOCK_MESSAGES; i++) {
                Dialect.STANDALONE.write(block, WireMode.UNEXPECTED, 1, 0, PAYLOAD_BYTES, 0);
                block.position(block.position() + PAYLOAD_BYTES);
            }
            block.flip();
        }

        /** Fills the buffers on the way; returns how many bytes they took. */
        long fill() throws IOException {
            channel.configureBlocking(false);
            long before = sentBytes;
            for (int n = channel.write(block); n > 0; n = channel.write(block)) {
                sentBytes += n;
                if (!block.hasRemaining()) {
                    block.rewind();
                }
            }
            return sentBytes - before;
        }

        /** Completes the message that is on its way in part. */
        void complete() throws IOException {
            channel.configureBlocking(true);
            int messageBytes = block.limit() / BLOCK_MESSAGES;
            int rest = (messageBytes - block.position() % messageBytes) % messageBytes;
            sentBytes += channel.write(block.slice(block.position(), rest));
            block.rewind();
        }

        long messages() {
            return sentBytes / (block.limit() / BLOCK_MESSAGES);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    @BeforeEach
    void open() throws IOException {
        server = TcpBench.server("bmi.wait", "block");
        for (int i = 0; i < SENDERS; i++) {
            senders.add(server.keep(new Sender(server.port())));
        }
    }

    @AfterEach
    void close() {
        server.close();
    }

    private long fillAll() throws IOException {
        long mostBytes = 0;
        for (Sender sender : senders) {
            mostBytes = Math.max(mostBytes, sender.fill());
        }
        return mostBytes;
    }

    private PeerAddress takeAll() {
        PeerAddress last = null;
        long sent = senders.stream().mapToLong(Sender::messages).sum();
        while (takenCount < sent) {
            int count = server.bmi.testUnexpected(messages, 20_000);
            assertThat(count).as("messages behind %d", takenCount).isPositive();
            for (int i = 0; i < count; i++) {
                last = messages.peer(i);
                messages.free(i);
            }
            takenCount += count;
        }
        return last;
    }

    @Test
    void noBufferGrows() throws IOException {
        long mostBytes = 0;
        for (int i = 0; i < ROUNDS; i++) {
            mostBytes = fillAll();
            takeAll();
        }
        assertThat(mostBytes).isBetween(1L, MOST_BYTES);
    }

    @Test
    void aLargeMessageFollows() throws IOException {
        for (int i = 0; i < ROUNDS; i++) {
            fillAll();
            takeAll();
        }
        for (Sender sender : senders) {
            sender.complete();
        }
        takeAll();
        Sender one = senders.getLast();
        one.channel.write(one.block.slice(0, one.block.limit() / BLOCK_MESSAGES));
        one.sentBytes += one.block.limit() / BLOCK_MESSAGES;
        PeerAddress peer = takeAll();
        MemorySegment in = server.buffer(LARGE_BYTES);
        long receive = server.context.postReceive(peer, in, LARGE_TAG);
        byte[] payload = TcpBench.RawPeer.payload(LARGE_BYTES, LARGE_TAG);
        ByteBuffer out = ByteBuffer.allocate(LARGE_BYTES + 64).order(ByteOrder.LITTLE_ENDIAN);
        Dialect.STANDALONE.write(out, WireMode.RENDEZVOUS, LARGE_TAG, 0, LARGE_BYTES, 0);
        out.put(payload).flip();
        one.channel.configureBlocking(false);
        TcpBench.eventually(
                () -> {
                    write(one, out);
                    return !server.isPendingQuietly(receive);
                },
                "the large message");
        TcpBench.expectPattern(in, LARGE_BYTES, LARGE_TAG);
    }

    private static void write(Sender sender, ByteBuffer out) {
        try {
            sender.channel.write(out);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
