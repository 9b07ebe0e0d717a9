package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits of a link, over a socket of memory and in a time of its own. */
@Timeout(60)
class SocketClientLinkTest {
    private static final int BUFFER_BYTES = 4096;
    private static final SessionLimits LIMITS = new SessionLimits(1 << 20, 1 << 12, 0, 16, 100);

    private final FullSocket socket = new FullSocket();
    private final SocketClientLink link =
            new SocketClientLink(
                    socket,
                    new LinkWelcome(1, 0, LIMITS),
                    new SilentEvents(),
                    () -> socket.nowNs,
                    new LinkSettings(
                            LinkSettings.production().sockets(),
                            LinkSettings.production().parking(),
                            Long.MAX_VALUE,
                            BUFFER_BYTES));

    /** The socket gets room in the first wait; the next progress writes all, and no event comes. */
    @Test
    void aNoteThatFitsAfterProgressDoesNotSleep() {
        Message note = ClientRequests.disarm(new Message(), 5);
        int accepted = 0;
        while (link.note(note, 0) == PeerChannel.OK) {
            accepted++;
            assertThat(accepted).as("notes in a full buffer").isLessThan(BUFFER_BYTES);
        }

        assertThat(link.note(note, TimeUnit.SECONDS.toNanos(1))).isEqualTo(PeerChannel.OK);

        assertThat(socket.sleptNs).isZero();
    }

    /** Takes nothing until a thread waits for room, then all; nothing comes from it. */
    private static final class FullSocket
            implements LinkTransport, GatheringByteChannel, ScatteringByteChannel {
        private long nowNs = 1;
        private long sleptNs;
        private boolean isWritable;
        private boolean wantsRoom;

        @Override
        public void await(long timeoutNs, BooleanSupplier isOver) {
            if (wantsRoom) {
                isWritable = true;
            } else if (!isOver.getAsBoolean()) {
                nowNs += timeoutNs;
                sleptNs += timeoutNs;
            }
        }

        @Override
        public void wantsRoom(boolean wants) {
            wantsRoom = wants;
        }

        @Override
        public ScatteringByteChannel in() {
            return this;
        }

        @Override
        public GatheringByteChannel out() {
            return this;
        }

        @Override
        public int write(ByteBuffer source) {
            int bytes = isWritable ? source.remaining() : 0;
            source.position(source.position() + bytes);
            return bytes;
        }

        @Override
        public long write(ByteBuffer[] sources) {
            return write(sources, 0, sources.length);
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int length) {
            long bytes = 0;
            for (int i = offset; i < offset + length; i++) {
                bytes += write(sources[i]);
            }
            return bytes;
        }

        @Override
        public int read(ByteBuffer target) {
            return 0;
        }

        @Override
        public long read(ByteBuffer[] targets) {
            return 0;
        }

        @Override
        public long read(ByteBuffer[] targets, int offset, int length) {
            return 0;
        }

        @Override
        public SelectableChannel selectable() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void wake(Thread thread) {
            // One thread does all.
        }

        @Override
        public void wakeAll() {
            // One thread does all.
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // It is memory.
        }
    }
}
