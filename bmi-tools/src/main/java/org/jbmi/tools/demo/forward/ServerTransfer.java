package org.jbmi.tools.demo.forward;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * One file on its way, seen from the server: its stored file, its blocks of the pool, its chunks.
 * Not thread-safe.
 */
final class ServerTransfer implements AutoCloseable {
    private static final Set<StandardOpenOption> TO_WRITE =
            Set.of(
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.TRUNCATE_EXISTING);
    private static final Set<StandardOpenOption> TO_READ = Set.of(StandardOpenOption.READ);

    final PeerAddress peer;
    final int tag;
    final TransferRequest request;
    private final Path path;
    private final FileChannel file;
    private final List<MemorySegment> blocks = new ArrayList<>();
    private @Nullable ChunkPipe pipe;
    private boolean cancelled;

    /**
     * Opens the stored file.
     *
     * @throws IOException if it cannot be opened, or is not what the request asks for
     */
    ServerTransfer(PeerAddress peer, int tag, TransferRequest request, Path storage)
            throws IOException {
        this.peer = peer;
        this.tag = tag;
        this.request = request;
        path = storage.resolve("file-" + request.file());
        file = FileChannel.open(path, isWrite() ? TO_WRITE : TO_READ);
        try {
            checkStoredSize();
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /**
     * Takes blocks of the pool, as many as there are and the file needs.
     *
     * @param depth the most blocks to take
     * @return false if the pool has none; nothing changed
     */
    boolean allocate(Bmi bmi, int depth) {
        long chunks = Math.ceilDiv(request.sizeBytes(), (long) request.chunkBytes());
        long blockBytes = Math.min(request.chunkBytes(), request.sizeBytes());
        while (blocks.size() < Math.min(depth, chunks)) {
            MemorySegment block = peer.allocate(blockBytes);
            if (block == null) {
                break;
            }
            blocks.add(block);
        }
        return chunks == 0 || !blocks.isEmpty();
    }

    /** Prepares to move the chunks; {@code afterOutcome} runs after each outcome. */
    void begin(CompletionContext context, Runnable afterOutcome) {
        pipe =
                new ChunkPipe(
                        context,
                        peer,
                        tag,
                        isWrite() ? ChunkPipe.Direction.RECEIVING : ChunkPipe.Direction.SENDING,
                        request,
                        isWrite() ? this::store : this::load,
                        blocks.toArray(MemorySegment[]::new),
                        afterOutcome);
    }

    /**
     * Does what can be done without waiting.
     *
     * @return true if there is more to do at once
     */
    boolean step() {
        ChunkPipe moving = begun();
        boolean more = moving.pump();
        if (moving.failure() != 0 && !cancelled) {
            cancelled = true;
            moving.cancel();
        }
        return more;
    }

    /**
     * Whether all chunks are dealt with.
     *
     * @return true if the reply is due
     */
    boolean isOver() {
        return begun().isIdle();
    }

    /**
     * What to tell the client.
     *
     * @return the reply
     */
    TransferReply reply() {
        ChunkPipe moved = begun();
        int status = moved.failure();
        if (status == 0 && moved.fileFailure() != null) {
            status = ErrorCode.EIO.negativeValue();
        }
        return new TransferReply(status, moved.finishedBytes());
    }

    /**
     * What went wrong, for the log.
     *
     * @return one sentence, or null if nothing did
     */
    @Nullable String problem() {
        ChunkPipe moved = begun();
        IOException fileFailure = moved.fileFailure();
        if (fileFailure != null) {
            return "File "
                    + request.file()
                    + " failed at the server: "
                    + fileFailure.getMessage()
                    + ".";
        }
        return moved.failure() == 0
                ? null
                : "File %d of %s broke off with %s after %d of %d bytes."
                        .formatted(
                                request.file(),
                                peer.displayName(),
                                ErrorCode.statusString(moved.failure()),
                                moved.finishedBytes(),
                                request.sizeBytes());
    }

    /** Gives the blocks back. Only when nothing is under way any more. */
    void free(Bmi bmi) {
        blocks.forEach(bmi::free);
        blocks.clear();
    }

    /** Closes the stored file, and removes it if it did not arrive whole. */
    @Override
    public void close() throws IOException {
        file.close();
        ChunkPipe moved = pipe;
        if (isWrite() && (moved == null || reply().status() != 0 || !moved.isIdle())) {
            Files.deleteIfExists(path);
        }
    }

    private boolean isWrite() {
        return request.kind() == TransferRequest.Kind.WRITE;
    }

    private ChunkPipe begun() {
        ChunkPipe begun = pipe;
        if (begun == null) {
            throw new IllegalStateException("The transfer has no memory yet.");
        }
        return begun;
    }

    private void checkStoredSize() throws IOException {
        if (!isWrite() && file.size() != request.sizeBytes()) {
            throw new IOException(
                    "File %d has %d bytes, not the %d that were asked for."
                            .formatted(request.file(), file.size(), request.sizeBytes()));
        }
    }

    private void store(MemorySegment chunk, long offset) throws IOException {
        ByteBuffer bytes = chunk.asByteBuffer();
        while (bytes.hasRemaining()) {
            file.write(bytes, offset + bytes.position());
        }
    }

    private void load(MemorySegment chunk, long offset) throws IOException {
        FileChunks.readFully(file, chunk, offset);
    }
}
