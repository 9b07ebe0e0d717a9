package org.jbmi.simulator;

import org.jbmi.zbmi.socket.LinkTransport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.function.BooleanSupplier;

/** The stream under a client's link, and the sleep on it, as the schedule decides. */
final class SimTransport implements LinkTransport {
    private final SimRemoteClient peer;
    private final SimStream stream;
    private boolean wantsRoom;
    private int wakes;
    private boolean isWakeLost;

    SimTransport(SimRemoteClient peer, SimStream stream) {
        this.peer = peer;
        this.stream = stream;
    }

    /** Whether a sleep on it would end by itself. */
    boolean isReady() {
        int awaited = SelectionKey.OP_READ | (wantsRoom ? SelectionKey.OP_WRITE : 0);
        return stream.isOpen() && (stream.readyOps() & awaited) != 0;
    }

    @Override
    public void await(long timeoutNs, BooleanSupplier isOver) {
        int before = wakes;
        if (isOver.getAsBoolean()) {
            return;
        }
        peer.sleepUntil(() -> wakes != before || isReady(), () -> isWakeLost, timeoutNs);
        isWakeLost = false;
    }

    @Override
    public void wantsRoom(boolean wants) {
        wantsRoom = wants;
    }

    @Override
    public void wake(Thread thread) {
        wakeAll();
    }

    @Override
    public void wakeAll() {
        if (peer.world.losesWake()) {
            isWakeLost = true;
            return;
        }
        wakes++;
        peer.isWoken = true;
    }

    @Override
    public SelectableChannel selectable() {
        return stream;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return stream.read(into);
    }

    @Override
    public long read(ByteBuffer[] into) throws IOException {
        return stream.read(into, 0, into.length);
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        return stream.read(into, offset, length);
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        return stream.write(bytes);
    }

    @Override
    public long write(ByteBuffer[] bytes) throws IOException {
        return stream.write(bytes, 0, bytes.length);
    }

    @Override
    public long write(ByteBuffer[] bytes, int offset, int length) throws IOException {
        return stream.write(bytes, offset, length);
    }

    @Override
    public boolean isOpen() {
        return stream.isOpen();
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
