package org.jbmi.zbmi.socket;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.util.function.BooleanSupplier;

/** The client's side of two pipes. Nobody sleeps on it: the schedule says who is next. */
class StreamTransport implements LinkTransport {
    private final StreamPipe in;
    private final StreamPipe out;

    StreamTransport(StreamPipe in, StreamPipe out) {
        this.in = in;
        this.out = out;
    }

    @Override
    public void await(long timeoutNs, BooleanSupplier isOver) {
        throw new AssertionError("somebody waits in a world without time");
    }

    @Override
    public void wantsRoom(boolean wants) {}

    @Override
    public void wake(Thread thread) {}

    @Override
    public void wakeAll() {}

    @Override
    public SelectableChannel selectable() {
        throw new AssertionError("there is nothing to select on");
    }

    @Override
    public int read(ByteBuffer target) {
        return in.read(target);
    }

    @Override
    public long read(ByteBuffer[] targets) {
        return in.read(targets);
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
        return in.read(targets, offset, length);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return out.write(source);
    }

    @Override
    public long write(ByteBuffer[] sources) throws IOException {
        return out.write(sources);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        return out.write(sources, offset, length);
    }

    @Override
    public boolean isOpen() {
        return out.isOpen();
    }

    @Override
    public void close() {
        in.close();
        out.close();
    }
}
