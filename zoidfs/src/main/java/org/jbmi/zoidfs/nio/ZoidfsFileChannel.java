package org.jbmi.zoidfs.nio;

import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.FileHandle;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.NoSuchFileException;
import java.util.Objects;

/**
 * A channel to a file of a server. Each read or write of a buffer is one request, which moves bytes
 * directly between the buffer and the messages, so large buffers are fast. Safe for use by any
 * thread; reads and writes at a given position run beside each other. It has neither maps nor
 * locks, because the protocol has none.
 */
final class ZoidfsFileChannel extends FileChannel {
    private static final int TRANSFER_BYTES = 1 << 20;

    /** A thread that never runs: if it may access memory, all threads may. */
    private final Thread anyThread = Thread.ofPlatform().unstarted(() -> {});

    private final OpenMode mode;
    private final ZoidfsPath path;
    private final FileHandle handle;
    private final ZoidfsClient client;
    private final Object positionLock = new Object();
    private long position;

    ZoidfsFileChannel(OpenMode mode, ZoidfsPath path, FileHandle handle) {
        this.mode = mode;
        this.path = path;
        this.handle = handle;
        this.client = path.getFileSystem().operations().client();
    }

    /** Work that may take long. */
    private interface Work {
        long run() throws IOException;
    }

    private long run(Work work) throws IOException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
        boolean done = false;
        try {
            begin();
            long result = work.run();
            done = true;
            return result;
        } catch (ZoidfsException e) {
            if (client.isClosed()) {
                throw new ClosedChannelException();
            }
            throw Failures.of(e, path);
        } finally {
            end(done);
        }
    }

    private void checkReadable() throws IOException {
        checkOpen();
        if (!mode.reads()) {
            throw new NonReadableChannelException();
        }
    }

    private void checkWritable() throws IOException {
        checkOpen();
        if (!mode.writes()) {
            throw new NonWritableChannelException();
        }
    }

    private void checkOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    private static void checkPlace(long place) {
        if (place < 0) {
            throw new IllegalArgumentException("There is no place " + place + " in a file");
        }
    }

    /** Whether the client may access a buffer's memory from its own threads. */
    private boolean isPlain(ByteBuffer buffer, MemorySegment segment) {
        return segment.isAccessibleBy(anyThread) && (buffer.isDirect() || buffer.hasArray());
    }

    private int readAt(ByteBuffer into, long offset) throws IOException {
        if (into.isReadOnly()) {
            throw new IllegalArgumentException("The buffer is read-only");
        }
        if (!into.hasRemaining()) {
            return 0;
        }
        MemorySegment target = MemorySegment.ofBuffer(into);
        boolean isPlain = isPlain(into, target);
        MemorySegment plain = isPlain ? target : MemorySegment.ofArray(new byte[into.remaining()]);
        long read = run(() -> client.read(handle, plain, offset));
        if (!isPlain) {
            MemorySegment.copy(plain, 0, target, 0, read);
        }
        into.position(into.position() + (int) read);
        return read == 0 ? -1 : (int) read;
    }

    private int writeAt(ByteBuffer from, long offset) throws IOException {
        if (!from.hasRemaining()) {
            return 0;
        }
        MemorySegment source = MemorySegment.ofBuffer(from);
        MemorySegment plain = source;
        if (!isPlain(from, source)) {
            plain = MemorySegment.ofArray(new byte[from.remaining()]);
            plain.copyFrom(source);
        }
        MemorySegment memory = plain;
        long written =
                run(
                        () -> {
                            long done;
                            if (mode.appends()) {
                                client.append(handle, memory, sizeNow());
                                done = memory.byteSize();
                            } else {
                                done = client.write(handle, memory, offset);
                            }
                            if (mode.syncs()) {
                                client.commit(handle);
                            }
                            return done;
                        });
        from.position(from.position() + (int) written);
        return (int) written;
    }

    private long sizeNow() throws IOException {
        return client.getAttributes(handle).size();
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
        checkReadable();
        synchronized (positionLock) {
            int read = readAt(dst, position);
            position += Math.max(0, read);
            return read;
        }
    }

    @Override
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, dsts.length);
        checkReadable();
        long sum = 0;
        synchronized (positionLock) {
            for (int i = offset; i < offset + length; i++) {
                int wanted = dsts[i].remaining();
                int read = readAt(dsts[i], position);
                if (read < 0) {
                    return sum == 0 ? -1 : sum;
                }
                position += read;
                sum += read;
                if (read < wanted) {
                    break;
                }
            }
        }
        return sum;
    }

    @Override
    public int read(ByteBuffer dst, long place) throws IOException {
        checkPlace(place);
        checkReadable();
        return readAt(dst, place);
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        checkWritable();
        synchronized (positionLock) {
            int written = writeAt(src, position);
            // A channel that appends has no place of its own, see position().
            position += written;
            return written;
        }
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, srcs.length);
        checkWritable();
        long sum = 0;
        synchronized (positionLock) {
            for (int i = offset; i < offset + length; i++) {
                int wanted = srcs[i].remaining();
                int written = write(srcs[i]);
                sum += written;
                if (written < wanted) {
                    break;
                }
            }
        }
        return sum;
    }

    @Override
    public int write(ByteBuffer src, long place) throws IOException {
        checkPlace(place);
        checkWritable();
        return writeAt(src, place);
    }

    @Override
    public long position() throws IOException {
        checkOpen();
        synchronized (positionLock) {
            return mode.appends() ? size() : position;
        }
    }

    @Override
    public FileChannel position(long newPosition) throws IOException {
        checkPlace(newPosition);
        checkOpen();
        synchronized (positionLock) {
            position = newPosition;
        }
        return this;
    }

    @Override
    public long size() throws IOException {
        return run(this::sizeNow);
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        checkPlace(size);
        checkWritable();
        synchronized (positionLock) {
            run(
                    () -> {
                        if (size < sizeNow()) {
                            client.resize(handle, size);
                        }
                        return 0;
                    });
            position = Math.min(position, size);
        }
        return this;
    }

    @Override
    public void force(boolean metaData) throws IOException {
        run(
                () -> {
                    client.commit(handle);
                    return 0;
                });
    }

    @Override
    public long transferTo(long place, long count, WritableByteChannel target) throws IOException {
        checkPlace(place);
        checkPlace(count);
        checkReadable();
        ByteBuffer part = ByteBuffer.allocate((int) Math.min(TRANSFER_BYTES, count));
        long moved = 0;
        while (moved < count) {
            part.clear().limit((int) Math.min(part.capacity(), count - moved));
            if (readAt(part, place + moved) <= 0) {
                break;
            }
            part.flip();
            int wanted = part.remaining();
            int written = target.write(part);
            moved += written;
            if (written < wanted) {
                break;
            }
        }
        return moved;
    }

    @Override
    public long transferFrom(ReadableByteChannel src, long place, long count) throws IOException {
        checkPlace(place);
        checkPlace(count);
        checkWritable();
        if (place > size()) {
            return 0;
        }
        ByteBuffer part = ByteBuffer.allocate((int) Math.min(TRANSFER_BYTES, count));
        long moved = 0;
        while (moved < count) {
            part.clear().limit((int) Math.min(part.capacity(), count - moved));
            if (src.read(part) <= 0) {
                break;
            }
            part.flip();
            while (part.hasRemaining()) {
                int written = writeAt(part, place + moved);
                if (written == 0) {
                    throw new IOException("The server has written nothing of " + part);
                }
                moved += written;
            }
        }
        return moved;
    }

    @Override
    public MappedByteBuffer map(MapMode mapMode, long place, long size) {
        throw new UnsupportedOperationException("A file of a zoidfs server cannot be mapped");
    }

    @Override
    public FileLock lock(long place, long size, boolean shared) {
        throw noLocks();
    }

    @Override
    public FileLock tryLock(long place, long size, boolean shared) {
        throw noLocks();
    }

    private static UnsupportedOperationException noLocks() {
        return new UnsupportedOperationException("zoidfs has no locks");
    }

    @Override
    protected void implCloseChannel() throws IOException {
        if (mode.deletesAtEnd()) {
            try {
                path.getFileSystem().operations().remove(path);
            } catch (NoSuchFileException e) {
                // Another program has removed it already.
            }
        }
    }
}
