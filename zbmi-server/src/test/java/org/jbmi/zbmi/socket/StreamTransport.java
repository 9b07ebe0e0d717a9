package org.jbmi.zbmi.socket;

import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
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
    public ScatteringByteChannel in() {
        return in;
    }

    @Override
    public GatheringByteChannel out() {
        return out;
    }

    @Override
    public void close() {
        in.close();
        out.close();
    }
}
