package org.jbmi.zbmi.channel.chronicle;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.MessageSource;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.function.IntPredicate;

/**
 * Reads messages from a queue. Empty until its queue is open; broken for good when a message could
 * not be read, since later ones must not take its place.
 */
final class ChronicleSource implements MessageSource, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ChronicleSource.class.getName());

    private final SharedMemory memory;
    private final ChronicleDirection direction;
    private final int bound;
    private final int quarterMask;
    private final long creditWantedOffset;
    private final long[] record = new long[1 + Message.MAX_WORDS];
    private volatile @Nullable QueueReader reader;
    private volatile long received;
    private long published;
    private boolean isBroken;
    private boolean isCreditDue;

    /**
     * Makes one that is not open yet.
     *
     * @param direction what it reads
     * @param creditWantedOffset set by a sender that waits for room
     */
    ChronicleSource(ChronicleDirection direction, long creditWantedOffset) {
        this.direction = direction;
        this.memory = direction.memory();
        this.bound = direction.bound();
        this.quarterMask = bound / 4 - 1;
        this.creditWantedOffset = creditWantedOffset;
    }

    /** Opens its queue, which can take a second; by any thread, once. */
    void open(boolean keepsFiles) throws IOException {
        IntPredicate mayGo = keepsFiles ? file -> false : this::wasRead;
        reader =
                direction.files().reader(direction.folder(), () -> direction.file(received), mayGo);
    }

    private boolean wasRead(int file) {
        return file < direction.file(received);
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time
    public int poll(Message into) {
        QueueReader from = reader;
        if (from == null) {
            return EMPTY;
        }
        long waiting = memory.getLongAcquire(direction.sentOffset()) - received;
        if (waiting == 0) {
            if (published != received) {
                publish();
            }
            return EMPTY;
        }
        if (isBroken || waiting < 0 || waiting > bound) {
            return BROKEN;
        }
        if (!read(from, into)) {
            isBroken = true;
            return BROKEN;
        }
        if ((++received & quarterMask) == 0) {
            publish();
        }
        return RECEIVED;
    }

    private boolean read(QueueReader from, Message into) {
        long bytes;
        try {
            bytes = from.read(record);
        } catch (RuntimeException | InternalError | AssertionError e) {
            isBroken = true; // before the log, which may fail in a full heap
            LOG.log(System.Logger.Level.WARNING, "cannot read from a queue", e);
            return false;
        } catch (Error e) { // of a full heap: the caller has it, and the message is gone
            isBroken = true;
            throw e;
        }
        if (bytes < Long.BYTES) {
            return false;
        }
        int words = into.load(record[0]);
        if (words < 0 || bytes < (1L + words) * Long.BYTES) {
            return false;
        }
        for (int i = 0; i < words; i++) {
            into.setWord(i, record[1 + i]);
        }
        return true;
    }

    private void publish() {
        published = received;
        memory.setLongRelease(direction.consumedOffset(), published);
        memory.fullFence();
        if (memory.getIntPlain(creditWantedOffset) != 0) {
            memory.setIntPlain(creditWantedOffset, 0);
            isCreditDue = true;
        }
    }

    @Override
    public boolean hasMessage() {
        return reader != null && memory.getLongAcquire(direction.sentOffset()) != received;
    }

    @Override
    public boolean takeCreditDue() {
        boolean due = isCreditDue;
        isCreditDue = false;
        return due;
    }

    /** No thread may be inside any more. */
    @Override
    public void close() {
        QueueReader open = reader;
        if (open == null) {
            return;
        }
        try {
            open.close();
        } catch (RuntimeException | InternalError | AssertionError e) {
            LOG.log(System.Logger.Level.WARNING, "cannot close a queue", e);
        }
    }
}
