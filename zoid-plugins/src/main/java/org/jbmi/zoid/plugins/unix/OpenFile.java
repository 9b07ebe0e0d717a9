package org.jbmi.zoid.plugins.unix;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** A file that a process has opened, with its position. Safe for use by any thread. */
final class OpenFile implements AutoCloseable {
    private final FileChannel channel;
    private final Path path;
    private final boolean appends;
    private long position;

    OpenFile(FileChannel channel, Path path, boolean appends) {
        this.channel = channel;
        this.path = path;
        this.appends = appends;
    }

    Path path() {
        return path;
    }

    FileChannel channel() {
        return channel;
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
            int some = channel.read(buffer, offset + read);
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
            written += channel.write(buffer, offset + written);
        }
        return written;
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
}
