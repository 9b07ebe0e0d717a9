package org.jbmi.zbmi.daemon.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.daemon.ClientRequest;
import org.jbmi.zbmi.daemon.ZbmiDaemon;
import org.jbmi.zbmi.link.ShmClientLink;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.socket.LinkFrame;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A relay whose client asks and reads nothing, while the lane ends. */
@Timeout(120)
class GatewayRelayTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);

    @TempDir private Path directory;

    /** Sends the same question for ever. */
    private static final class Questions implements ScatteringByteChannel {
        private final ByteBuffer question;

        Questions() {
            question = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN);
            question.putInt(40).putInt(0x4c4d425a).putInt(LinkFrame.VERSION).putInt(5);
            question.putLong(ClientRequests.TEST | 2L << 16).putLong(5).putLong(0).flip();
        }

        @Override
        public int read(ByteBuffer into) {
            int before = into.remaining();
            while (into.hasRemaining()) {
                into.put(question.get());
                if (!question.hasRemaining()) {
                    question.rewind();
                }
            }
            return before;
        }

        @Override
        public long read(ByteBuffer[] into, int offset, int length) {
            long count = 0;
            for (int i = offset; i < offset + length; i++) {
                count += read(into[i]);
            }
            return count;
        }

        @Override
        public long read(ByteBuffer[] into) {
            return read(into, 0, into.length);
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    /** Takes nothing until it is told to. */
    private static final class Reluctant implements GatheringByteChannel {
        private boolean takes;

        @Override
        public int write(ByteBuffer from) {
            int count = takes ? from.remaining() : 0;
            from.position(from.position() + count);
            return count;
        }

        @Override
        public long write(ByteBuffer[] from, int offset, int length) {
            long count = 0;
            for (int i = offset; i < offset + length; i++) {
                count += write(from[i]);
            }
            return count;
        }

        @Override
        public long write(ByteBuffer[] from) {
            return write(from, 0, from.length);
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    private PeerAttachment attached(ZbmiDaemon daemon) {
        return PeerAttachment.connect(ClientRequest.of(daemon, LONG_NS));
    }

    private ZbmiDaemon daemon() {
        return ZbmiDaemon.builder()
                .knob("zoid.runtimeDirectory", directory.resolve("run").toString())
                .knob("zbmi.segmentDirectory", directory.toString())
                .knob("zbmi.totalBytes", "4m")
                .start();
    }

    private static void pumpToTheEnd(GatewayRelay relay, Selector selector) throws IOException {
        long end = System.nanoTime() + LONG_NS;
        while (System.nanoTime() - end < 0) {
            relay.pump(0);
            selector.selectNow(key -> relay.laneReady());
        }
    }

    @Test
    void theEndOfTheLaneWaitsForRoomInTheBufferAndKeepsNoThreadAwake() throws Exception {
        Reluctant out = new Reluctant();
        ZbmiDaemon daemon = daemon();
        try (Selector selector = Selector.open()) {
            PeerAttachment attachment = attached(daemon);
            GatewayRelay relay =
                    new GatewayRelay(
                            new Questions(),
                            out,
                            events -> new ShmClientLink(attachment, events),
                            attachment.memory(),
                            attachment.map());
            try {
                attachment.socket().configureBlocking(false);
                attachment.socket().register(selector, SelectionKey.OP_READ, relay);
                long end = System.nanoTime() + LONG_NS;
                while (relay.pump(0) || relay.hasEventRoom()) {
                    relay.prepareSleep();
                    selector.selectNow(key -> relay.laneReady());
                    assertThat(System.nanoTime() - end).isNegative();
                }
                daemon.close();
                selector.select(key -> relay.laneReady());

                assertThat(relay.pump(0)).as("there is work").isFalse();
                assertThat(relay.prepareSleep()).as("it may sleep").isTrue();
                assertThat(relay.wantsLane()).as("it waits for the lane").isFalse();
                assertThat(relay.wantsWrite()).as("it waits for its client").isTrue();

                out.takes = true;
                assertThatThrownBy(() -> pumpToTheEnd(relay, selector))
                        .isInstanceOf(IOException.class)
                        .hasMessage("The daemon has ended the session.");
                assertThat(relay.wantsWrite()).as("something is left").isFalse();
            } finally {
                relay.close();
            }
        } finally {
            daemon.close();
        }
    }
}
