package org.jbmi.zoid.plugins.unix;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * A file that a process has opened, with its position. Safe for use by any thread.
 *
 * <p>When a client gives up a call, the server interrupts its thread. An interrupt closes a {@code
 * FileChannel}, so later calls would fail. An {@code AsynchronousFileChannel} ignores interrupts.
 */
final class OpenFile implements AutoCloseable {
    private final AsynchronousFileChannel channel;

    /** Writes to the end, wherever that is by then; the other kind of channel cannot. */
    private final @Nullable FileChannel appender;

    private final Path path;
    private final @Nullable Object key;
    private long position;

    private OpenFile(
            AsynchronousFileChannel channel,
            @Nullable FileChannel appender,
            Path path,
            @Nullable Object key) {
        this.channel = channel;
        this.appender = appender;
        this.path = path;
        this.key = key;
    }

    /** Opens a file as the system does it, whether or not the thread is interrupted. */
    static OpenFile open(
            Path path, Set<? extends OpenOption> options, FileAttribute<?> mode, boolean appends)
            throws IOException {
        AsynchronousFileChannel channel =
                AsynchronousFileChannel.open(path, options, new InPlace(), mode);
        FileChannel appender = null;
        try {
            Object key = keyOf(path);
            appender = appends ? appender(path, options) : null;
            return new OpenFile(channel, appender, path, key);
        } catch (IOException | RuntimeException | Error e) {
            close(channel, appender); // nothing else would: such a channel has no cleaner
            throw e;
        }
    }

    // Java tells no key of an open file. Another process could put a file there meanwhile. It could
    // also remove the file: then the key is one that no file has.
    private static @Nullable Object keyOf(Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        } catch (NoSuchFileException e) {
            return new Object();
        }
    }

    private static FileChannel appender(Path path, Set<? extends OpenOption> options)
            throws IOException {
        Set<OpenOption> wanted = new HashSet<>();
        wanted.add(StandardOpenOption.APPEND);
        if (options.contains(LinkOption.NOFOLLOW_LINKS)) {
            wanted.add(LinkOption.NOFOLLOW_LINKS);
        }
        return FileChannel.open(path, wanted);
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

    /** Whether a file with this key is the open one. */
    boolean hasKey(@Nullable Object other) {
        return Objects.equals(key, other);
    }

    /**
     * Cuts the file, or fills it up with zeros. A channel can only cut. What makes the file larger
     * must not write to it, because another process may write to the same place. Only where the
     * path may not be read and written is there no other way.
     */
    void resize(long length) throws IOException {
        channel.truncate(length);
        if (channel.size() >= length) {
            return;
        }
        boolean mayOpenAgain = Files.isReadable(path) && Files.isWritable(path);
        checkPath();
        if (!mayOpenAgain) {
            writeAt(MemorySegment.ofArray(new byte[1]), length - 1);
            return;
        }
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            checkPath(); // another file may have come in between
            if (file.length() < length) {
                file.setLength(length);
            }
        }
    }

    private void checkPath() throws IOException {
        if (!isAtPath()) {
            throw new NoSuchFileException(path.toString());
        }
    }

    /** Whether its path still names this file. */
    boolean isAtPath() throws IOException {
        return hasKey(keyOf(path));
    }

    synchronized long read(MemorySegment into) throws IOException {
        long read = readAt(into, position);
        position += read;
        return read;
    }

    synchronized long write(MemorySegment from) throws IOException {
        FileChannel end = appender;
        if (end != null) {
            // Each step finds the end and writes there, in one call of the system.
            long written = apart(() -> moveAll(from.asByteBuffer(), (rest, _) -> end.write(rest)));
            position = channel.size();
            return written;
        }
        long written = writeAt(from, position);
        position += written;
        return written;
    }

    /** One call of the system. */
    @FunctionalInterface
    interface Step {
        /** Moves a part of the rest of a buffer; not positive at the end. */
        int move(ByteBuffer rest, long done) throws IOException;
    }

    /** Moves a buffer in as many steps as it takes. What was moved before a failure counts. */
    static long moveAll(ByteBuffer buffer, Step step) throws IOException {
        long done = 0;
        while (buffer.hasRemaining()) {
            int some;
            try {
                some = step.move(buffer, done);
            } catch (IOException e) {
                if (done == 0) {
                    throw e;
                }
                break; // as the system does it; the next call has the error
            }
            if (some <= 0) {
                break;
            }
            done += some;
        }
        return done;
    }

    /** In a thread that nobody interrupts; the caller keeps its flag. */
    private static long apart(Callable<Long> work) throws IOException {
        FutureTask<Long> task = new FutureTask<>(work);
        Thread.ofVirtual().name("zoid-append").start(task);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    interrupted = true; // what was written is told all the same
                }
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    long readAt(MemorySegment into, long offset) throws IOException {
        return moveAll(
                into.asByteBuffer(), (rest, done) -> moved(channel.read(rest, offset + done)));
    }

    long writeAt(MemorySegment from, long offset) throws IOException {
        return moveAll(
                from.asByteBuffer(), (rest, done) -> moved(channel.write(rest, offset + done)));
    }

    /** What was done in place, so that it is over. */
    private static int moved(Future<Integer> step) throws IOException {
        if (step.state() == Future.State.FAILED) {
            Throwable cause = step.exceptionNow();
            throw cause instanceof IOException e ? e : new IOException(cause);
        }
        return step.resultNow();
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
        close(channel, appender);
    }

    private static void close(AsynchronousFileChannel channel, @Nullable FileChannel end)
            throws IOException {
        try (channel) {
            if (end != null) {
                end.close();
            }
        }
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
