package org.jbmi.tools.demo.forward;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * A client of the forwarder: ships files to the server and fetches them back, one at a time. Not
 * thread-safe. Nothing waits longer than {@link #STALL_MS} for something to move.
 */
public final class ForwardClient implements AutoCloseable {
    /** When nothing moved for so long, a transfer fails. */
    public static final long STALL_MS = 30_000;

    private static final int BATCH = 32;
    private static final long IDLE_MS = 200;
    private static final long NS_PER_MS = 1_000_000;

    private final CompletionContext context;
    private final PeerAddress server;
    private final int chunkBytes;
    private final BooleanSupplier stopped;
    private final ClientMemory memory;
    private final Completions done = Completions.ofCapacity(BATCH);

    /**
     * Makes a client.
     *
     * @param bmi an open instance; stays the caller's
     * @param context where the client posts, for it alone; stays the caller's
     * @param server the server
     * @param chunkBytes size of a chunk
     * @param depth how many chunks are under way, 1 or more
     * @param stopped looked at between chunks and a few times a second; true ends a transfer
     * @throws BmiException with {@link ErrorCode#ENOMEM} if there is no memory for the chunks
     */
    public ForwardClient(
            Bmi bmi,
            CompletionContext context,
            PeerAddress server,
            int chunkBytes,
            int depth,
            BooleanSupplier stopped) {
        this.context = context;
        this.server = server;
        this.chunkBytes = chunkBytes;
        this.stopped = stopped;
        memory = new ClientMemory(bmi, server, chunkBytes, depth);
    }

    /**
     * Ships the beginning of a file to the server.
     *
     * @param file number of the file at the server
     * @param source an open file
     * @param sizeBytes how many of its bytes
     * @param progress told how many bytes are through, after each chunk
     * @throws IOException with a sentence, if the transfer failed
     */
    public void write(int file, FileChannel source, long sizeBytes, LongConsumer progress)
            throws IOException {
        transfer(
                new TransferRequest(TransferRequest.Kind.WRITE, file, chunkBytes, sizeBytes),
                (chunk, offset) -> FileChunks.readFully(source, chunk, offset),
                progress);
    }

    /**
     * Fetches a file from the server.
     *
     * @param file its number at the server
     * @param sizeBytes its size
     * @param digest takes its bytes
     * @param progress told how many bytes are through, after each chunk
     * @throws IOException with a sentence, if the transfer failed
     */
    public void read(int file, long sizeBytes, MessageDigest digest, LongConsumer progress)
            throws IOException {
        transfer(
                new TransferRequest(TransferRequest.Kind.READ, file, chunkBytes, sizeBytes),
                (chunk, offset) -> digest.update(chunk.asByteBuffer()),
                progress);
    }

    /** Gives the memory back. After a failed transfer close the context first. */
    @Override
    public void close() {
        memory.close();
    }

    private void transfer(TransferRequest request, ChunkEnd end, LongConsumer progress)
            throws IOException {
        ClientTransfer transfer = new ClientTransfer(context, server, request, memory, end);
        long lastNewsNs = System.nanoTime();
        while (!transfer.isOver()) {
            if (stopped.getAsBoolean()) {
                throw new IOException("The transfer was stopped");
            }
            boolean more = transfer.step();
            progress.accept(transfer.finishedBytes());
            if (transfer.isOver()) {
                break;
            }
            if (collect(more ? 0 : IDLE_MS) > 0 || more) {
                lastNewsNs = System.nanoTime();
            } else {
                checkPatience(lastNewsNs);
            }
        }
        transfer.check();
    }

    private static void checkPatience(long lastNewsNs) throws IOException {
        if (System.nanoTime() - lastNewsNs > STALL_MS * NS_PER_MS) {
            throw new IOException("Nothing moved for " + STALL_MS / 1000 + " s");
        }
    }

    private int collect(long idleMs) {
        int count = context.testContext(done, idleMs);
        for (int i = 0; i < count; i++) {
            if (done.userData(i) instanceof PostOutcome outcome) {
                outcome.completed(done.outcome(i).negativeValue(), done.sizeBytes(i));
            }
        }
        return count;
    }
}
