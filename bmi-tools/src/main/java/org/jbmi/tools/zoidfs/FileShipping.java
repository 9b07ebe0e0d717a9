package org.jbmi.tools.zoidfs;

import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.FileHandle;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Copies a file to a server or from one, in parts, several of them at once. */
public final class FileShipping {
    private final ZoidfsClient client;
    private final int partBytes;
    private final int partsAtOnce;
    private final Progress progress;

    /** Called after each part; an exception ends the copy. */
    public interface Progress {
        /** Takes the number of bytes of a part. */
        void through(long bytes) throws IOException;
    }

    /** Takes the parts of a fetched file, in their order. */
    public interface Sink {
        /** Takes the next part; its memory is used again after the call. */
        void take(ByteBuffer part, long offset) throws IOException;
    }

    /** One part that is under way. */
    private record Part(CompletableFuture<Long> moved, MemorySegment memory, long offset) {}

    /** Begins the transfer of a part. */
    private interface Begin {
        Part at(long offset, int sizeBytes) throws IOException;
    }

    /** Ends the transfer of a part. */
    private interface End {
        void of(Part part, long movedBytes) throws IOException;
    }

    /**
     * Makes copies through a client.
     *
     * @param client of the server; the caller closes it
     * @param partBytes the length of a part
     * @param partsAtOnce how many are under way
     * @param progress called after each part
     */
    public FileShipping(ZoidfsClient client, int partBytes, int partsAtOnce, Progress progress) {
        this.client = client;
        this.partBytes = partBytes;
        this.partsAtOnce = partsAtOnce;
        this.progress = progress;
    }

    /**
     * Copies the first bytes of a file to a server.
     *
     * @throws IOException if the file or the server fails, or the file is shorter
     */
    public void bring(FileChannel source, long sizeBytes, FileHandle target)
            throws IOException, InterruptedException {
        ship(
                sizeBytes,
                (offset, size) -> {
                    ByteBuffer bytes = ByteBuffer.allocate(size);
                    while (bytes.hasRemaining()) {
                        if (source.read(bytes, offset + bytes.position()) < 0) {
                            throw new EOFException("The file became shorter while it was read");
                        }
                    }
                    MemorySegment memory = MemorySegment.ofArray(bytes.array());
                    return new Part(
                            client.submit(() -> client.write(target, memory, offset)),
                            memory,
                            offset);
                },
                (part, moved) -> {
                    if (moved != part.memory().byteSize()) {
                        throw new IOException("The server wrote only a part of the file");
                    }
                });
    }

    /**
     * Copies the first bytes of a file from a server.
     *
     * @throws IOException if the sink or the server fails, or the file is shorter
     */
    public void fetch(FileHandle source, long sizeBytes, Sink target)
            throws IOException, InterruptedException {
        ship(
                sizeBytes,
                (offset, size) -> {
                    MemorySegment memory = MemorySegment.ofArray(new byte[size]);
                    return new Part(
                            client.submit(() -> client.read(source, memory, offset)),
                            memory,
                            offset);
                },
                (part, moved) -> {
                    if (moved != part.memory().byteSize()) {
                        throw new EOFException("The file became shorter while it was read");
                    }
                    target.take(part.memory().asByteBuffer(), part.offset());
                });
    }

    private void ship(long sizeBytes, Begin begin, End end)
            throws IOException, InterruptedException {
        Deque<Part> parts = new ArrayDeque<>();
        for (long offset = 0; offset < sizeBytes || !parts.isEmpty(); ) {
            while (offset < sizeBytes && parts.size() < partsAtOnce) {
                int size = (int) Math.min(partBytes, sizeBytes - offset);
                parts.add(begin.at(offset, size));
                offset += size;
            }
            Part part = parts.remove();
            long moved = await(part);
            end.of(part, moved);
            progress.through(part.offset() + moved);
        }
    }

    private static long await(Part part) throws IOException, InterruptedException {
        try {
            return part.moved().get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IOException(e.getCause());
        }
    }
}
