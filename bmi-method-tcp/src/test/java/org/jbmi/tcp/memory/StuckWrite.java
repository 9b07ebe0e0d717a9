package org.jbmi.tcp.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.concurrent.FutureTask;

/** A thread that writes memory, more than a pipe holds, to a pipe until the pipe is closed. */
public final class StuckWrite implements AutoCloseable {
    private final Pipe pipe = Pipe.open();
    private final Thread writer;

    /** Begins to write memory. */
    public StuckWrite(MemorySegment memory) throws IOException {
        ByteBuffer bytes = memory.asByteBuffer();
        FutureTask<Integer> write = new FutureTask<>(() -> pipe.sink().write(bytes));
        writer = Thread.ofPlatform().name("writer").start(write);
    }

    /** Returns when the write holds the memory. */
    public void awaitBegin() throws IOException {
        assertThat(pipe.source().read(ByteBuffer.allocate(1))).isOne();
    }

    @Override
    public void close() throws IOException {
        pipe.source().close();
        try {
            writer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        pipe.sink().close();
    }
}
