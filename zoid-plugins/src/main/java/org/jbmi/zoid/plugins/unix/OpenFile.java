package org.jbmi.zoid.plugins.unix;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.util.List;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A file that a process has opened, with its position. Safe for use by any thread.
 *
 * <p>A call that nobody wants any more is interrupted. That would close a {@code FileChannel}, for
 * all later calls, too; this kind of channel knows no interrupts.
 */
final class OpenFile implements AutoCloseable {
    private final AsynchronousFileChannel channel;
    private final Path path;
    private final boolean appends;
    private long position;

    private OpenFile(AsynchronousFileChannel channel, Path path, boolean appends) {
        this.channel = channel;
        this.path = path;
        this.appends = appends;
    }

    /** Opens a file as the system does it, whether or not the thread is interrupted. */
    static OpenFile open(
            Path path, Set<? extends OpenOption> options, FileAttribute<?> mode, boolean appends)
            throws IOException {
        return new OpenFile(
                AsynchronousFileChannel.open(path, options, new InPlace(), mode), path, appends);
    }

    Path path() {
        return path;
    }

    long size() throws IOException {
        return channel.size();
    }

    void force() throws IOException {
        channel.force(true);
    }

    /** Cuts the file, or fills it up with zeros. */
    void resize(long length) throws IOException {
        if (length > channel.size()) {
            done(channel.write(ByteBuffer.allocate(1), length - 1));
        } else {
            channel.truncate(length);
        }
    }

    synchronized long read(MemorySegment into) throws IOException {
        long read = readAt(into, position);
        position += read;
        return read;
    }

    synchronized long write(MemorySegment from) throws IOException {
        long at = appends ? channel.size() : position;
        long written = writeAt(from, at);
        position = at + written;
        return written;
    }

    long readAt(MemorySegment into, long offset) throws IOException {
        ByteBuffer buffer = into.asByteBuffer();
        long read = 0;
        while (buffer.hasRemaining()) {
            int some = done(channel.read(buffer, offset + read));
            if (some <= 0) {
                break;
            }
            read += some;
        }
        return read;
    }

    long writeAt(MemorySegment from, long offset) throws IOException {
        ByteBuffer buffer = from.asByteBuffer();
        long written = 0;
        while (buffer.hasRemaining()) {
            written += done(channel.write(buffer, offset + written));
        }
        return written;
    }

    /** What was done in place, so that it is over. */
    private static int done(Future<Integer> moved) throws IOException {
        if (moved.state() == Future.State.FAILED) {
            Throwable cause = moved.exceptionNow();
            throw cause instanceof IOException e ? e : new IOException(cause);
        }
        return moved.resultNow();
    }

    /** As lseek does it; negative for an error. */
    synchronized long seek(long offset, int whence) throws IOException {
        long base =
                switch (whence) {
                    case 0 -> 0;
                    case 1 -> position;
                    case 2 -> channel.size();
                    default -> -1;
                };
        long target = base + offset;
        if (base < 0 || target < 0) {
            return Errno.EINVAL;
        }
        position = target;
        return target;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** Runs the work of a channel in the thread that asks for it. */
    private static final class InPlace extends AbstractExecutorService {
        private volatile boolean shutDown;

        @Override
        public void execute(Runnable work) {
            work.run();
        }

        @Override
        public void shutdown() {
            shutDown = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            shutDown = true;
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return shutDown;
        }

        @Override
        public boolean isTerminated() {
            return shutDown;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return shutDown;
        }
    }
}
