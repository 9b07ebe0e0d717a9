package org.jbmi.simulator.socket;

import org.jbmi.simulator.heap.Allocations;
import org.jbmi.zbmi.protocol.handshake.Goodbye;
import org.jbmi.zbmi.protocol.handshake.HandshakeCodec;
import org.jbmi.zbmi.protocol.handshake.Ring;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.Objects;

/**
 * One end of a simulated Unix socket. After its handshake a peer writes only rings and its goodbye.
 */
public final class SimSocket extends SimChannel {
    private @Nullable SimSocket other;
    private int unreadBytes;
    private boolean isServerClosed;
    public boolean isEnded;

    /** Whether the other end writes nothing more and still reads. */
    private boolean isShut;

    public boolean saidGoodbye;
    public boolean isRung;

    /** Whether the goodbye was for a remote client that was lost. */
    public boolean isForLostClient;

    private boolean isClosed;

    private SimSocket() {}

    /** The peer's end of a new pair; {@link #other} is the daemon's. */
    public static SimSocket pair() {
        SimSocket peer = new SimSocket();
        SimSocket daemon = new SimSocket();
        peer.other = daemon;
        daemon.other = peer;
        return peer;
    }

    public SimSocket other() {
        return Objects.requireNonNull(other, "half a socket");
    }

    /** Whether a thread that sleeps in a selector would wake. */
    public boolean isReadable() {
        return unreadBytes > 0 || isOver();
    }

    @Override
    public int readyOps() {
        return isReadable() ? SelectionKey.OP_READ : 0;
    }

    public boolean isClosed() {
        return isClosed;
    }

    /** Whether the other end has ended or has redirected this one. */
    public boolean isOver() {
        return isEnded || isShut;
    }

    /** The daemon wakes its peer. */
    public void sendByte() {
        other().unreadBytes++;
    }

    /** Writes the host's last byte: the server closes normally. */
    public void sayServerClosed() {
        sendByte();
        other().isServerClosed = true;
    }

    /** The daemon writes nothing more. */
    public void shutOutput() {
        other().isShut = true;
    }

    /** Its process has ended, or the connection is cut. */
    public void end() {
        isClosed = true;
        other().isEnded = true;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        if (isClosed && !isEnded) {
            throw new ClosedChannelException();
        }
        int count = Math.min(unreadBytes, into.remaining());
        for (int i = 0; i < count; i++) {
            unreadBytes--;
            boolean isGoodbye = unreadBytes == 0 && isServerClosed;
            into.put(isGoodbye ? HandshakeCodec.CLOSED : HandshakeCodec.WAKE);
        }
        return count == 0 && isOver() ? -1 : count;
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        if (isClosed || isEnded) {
            throw new ClosedChannelException();
        }
        int count = bytes.remaining();
        Allocations.pause(); // these objects are the kernel's and the host's
        if (bytes.equals(HandshakeCodec.encode(new Ring()))) {
            other().isRung = true;
        } else {
            other().saidGoodbye = true;
            other().isForLostClient = bytes.equals(HandshakeCodec.encode(new Goodbye(true)));
        }
        Allocations.resume();
        bytes.position(bytes.limit());
        return count;
    }

    @Override
    protected void implCloseSelectableChannel() {
        end();
    }
}
