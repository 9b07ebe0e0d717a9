package org.jbmi.zbmi.socket;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.util.ArrayDeque;
import java.util.Random;

/** One direction of a stream in memory, bounded, that takes and gives bytes in random pieces. */
final class StreamPipe implements GatheringByteChannel, ScatteringByteChannel {
    private final Random random;
    private final int capacity;
    private final ArrayDeque<byte[]> pieces = new ArrayDeque<>();
    private int offset;
    private int size;
    private boolean isEnded;

    StreamPipe(Random random, int capacity) {
        this.random = random;
        this.capacity = capacity;
    }

    int size() {
        return size;
    }

    @Override
    public long write(ByteBuffer[] sources, int from, int count) throws IOException {
        if (isEnded) {
            throw new IOException("the stream has ended");
        }
        int room = capacity - size;
        int take = room == 0 ? 0 : random.nextInt(room + 1);
        ByteArrayOutputStream taken = new ByteArrayOutputStream();
        for (int i = from; i < from + count && taken.size() < take; i++) {
            byte[] some = new byte[Math.min(sources[i].remaining(), take - taken.size())];
            sources[i].get(some);
            taken.writeBytes(some);
        }
        if (taken.size() > 0) {
            pieces.add(taken.toByteArray());
            size += taken.size();
        }
        return taken.size();
    }

    @Override
    public long write(ByteBuffer[] sources) throws IOException {
        return write(sources, 0, sources.length);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return (int) write(new ByteBuffer[] {source}, 0, 1);
    }

    @Override
    public long read(ByteBuffer[] targets, int from, int count) {
        if (size == 0) {
            return isEnded ? -1 : 0;
        }
        int most = 1 + random.nextInt(size);
        int given = 0;
        for (int i = from; i < from + count; i++) {
            while (targets[i].hasRemaining() && given < most) {
                byte[] first = pieces.element();
                int length =
                        Math.min(
                                Math.min(first.length - offset, most - given),
                                targets[i].remaining());
                targets[i].put(first, offset, length);
                offset += length;
                given += length;
                if (offset == first.length) {
                    pieces.remove();
                    offset = 0;
                }
            }
        }
        size -= given;
        return given;
    }

    @Override
    public long read(ByteBuffer[] targets) {
        return read(targets, 0, targets.length);
    }

    @Override
    public int read(ByteBuffer target) {
        return (int) read(new ByteBuffer[] {target}, 0, 1);
    }

    @Override
    public boolean isOpen() {
        return !isEnded;
    }

    @Override
    public void close() {
        isEnded = true;
    }
}
