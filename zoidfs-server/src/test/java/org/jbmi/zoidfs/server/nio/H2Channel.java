package org.jbmi.zoidfs.server.nio;

import org.h2.store.fs.FileBase;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;

/** A channel with the lock that H2 insists on: it is the only one here that opens the file. */
final class H2Channel extends FileBase {
    private final FileChannel channel;

    H2Channel(FileChannel channel) {
        this.channel = channel;
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
        return new FileLock(this, position, size, shared) {
            private boolean released;

            @Override
            public boolean isValid() {
                return !released;
            }

            @Override
            public void release() {
                released = true;
            }
        };
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return channel.read(into);
    }

    @Override
    public int read(ByteBuffer into, long place) throws IOException {
        return channel.read(into, place);
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        return channel.write(from);
    }

    @Override
    public int write(ByteBuffer from, long place) throws IOException {
        return channel.write(from, place);
    }

    @Override
    public long position() throws IOException {
        return channel.position();
    }

    @Override
    public FileChannel position(long place) throws IOException {
        channel.position(place);
        return this;
    }

    @Override
    public long size() throws IOException {
        return channel.size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        channel.truncate(size);
        return this;
    }

    @Override
    public void force(boolean metaData) throws IOException {
        channel.force(metaData);
    }

    @Override
    protected void implCloseChannel() throws IOException {
        channel.close();
    }
}
