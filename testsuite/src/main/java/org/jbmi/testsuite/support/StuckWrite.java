package org.jbmi.testsuite.support;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.Arrays;
import java.util.concurrent.FutureTask;

/** A thread that writes memory, again and again, to a full pipe until the pipe is closed. */
public final class StuckWrite implements AutoCloseable {
    private final Pipe pipe = Pipe.open();
    private final Thread writer;

    /**
     * Begins to write.
     *
     * @param memory at least a page
     * @throws IOException if there is no pipe
     */
    public StuckWrite(MemorySegment... memory) throws IOException {
        ByteBuffer[] more = new ByteBuffer[64]; // than a pipe holds
        Arrays.setAll(more, i -> memory[i % memory.length].asByteBuffer());
        FutureTask<Long> write = new FutureTask<>(() -> pipe.sink().write(more));
        writer = Thread.ofPlatform().name("writer").start(write);
    }

    /**
     * Returns when the write holds the memory.
     *
     * @throws IOException if the pipe cannot be read
     */
    public void awaitBegin() throws IOException {
        if (pipe.source().read(ByteBuffer.allocate(1)) != 1) {
            throw new IllegalStateException("Nothing was written.");
        }
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
