package org.jbmi.zoidfs.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;

/**
 * A channel for an input stream. The server sends zeros behind the end of a file, and a channel
 * receives them into the buffer of its caller. A stream must not change an array behind the bytes
 * that it reads, so this channel reads into a buffer of its own first. It owns the other channel.
 * Safe for use by any thread.
 */
final class CopiedReads implements SeekableByteChannel {
    /** A longer read ends after so many bytes; the caller asks again. */
    private static final int MAX_BYTES = 1 << 20;

    private final SeekableByteChannel channel;
    private ByteBuffer own = ByteBuffer.allocate(0);

    CopiedReads(SeekableByteChannel channel) {
        this.channel = channel;
    }

    @Override
    public synchronized int read(ByteBuffer dst) throws IOException {
        int wanted = Math.min(dst.remaining(), MAX_BYTES);
        if (own.capacity() < wanted) {
            own = ByteBuffer.allocate(wanted);
        }
        int read = channel.read(own.clear().limit(wanted));
        if (read > 0) {
            dst.put(own.flip());
        }
        return read;
    }

    @Override
    public int write(ByteBuffer src) {
        throw new NonWritableChannelException();
    }

    @Override
    public long position() throws IOException {
        return channel.position();
    }

    @Override
    public SeekableByteChannel position(long newPosition) throws IOException {
        channel.position(newPosition);
        return this;
    }

    @Override
    public long size() throws IOException {
        return channel.size();
    }

    @Override
    public SeekableByteChannel truncate(long size) {
        throw new NonWritableChannelException();
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
