package org.jbmi.zbmi.channel.chronicle;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.StoreFileListener;
import net.openhft.chronicle.wire.DocumentContext;
import net.openhft.chronicle.wire.Wire;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.MessageSource;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;

/** Reads messages from a queue. Empty until its queue is open. */
final class ChronicleSource implements MessageSource, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ChronicleSource.class.getName());
    private static final int QUARTER_MASK = ChronicleDirection.BOUND / 4 - 1;

    private final SharedMemory memory;
    private final ChronicleDirection direction;
    private final long creditWantedOffset;
    private @Nullable ChronicleQueue queue;
    private volatile @Nullable ExcerptTailer tailer;
    private volatile long received;
    private long published;
    private boolean isCreditDue;

    /**
     * Not open yet.
     *
     * @param direction what it reads
     * @param creditWantedOffset set by a sender that waits for room
     */
    ChronicleSource(ChronicleDirection direction, long creditWantedOffset) {
        this.direction = direction;
        this.memory = direction.memory();
        this.creditWantedOffset = creditWantedOffset;
    }

    /**
     * Opens its queue, which can take a second; by any thread, once.
     *
     * @param keepsFiles whether files that were read stay
     */
    void open(boolean keepsFiles) throws IOException {
        StoreFileListener listener = keepsFiles ? StoreFileListener.noOp() : deleteWhatWasRead();
        ChronicleQueue opened = direction.open(() -> received, listener);
        queue = opened;
        ExcerptTailer made = opened.createTailer();
        // Its users take turns under a lock of their own.
        made.singleThreadedCheckDisabled(true);
        tailer = made;
    }

    private StoreFileListener deleteWhatWasRead() {
        return (cycle, file) -> {
            if (cycle < ChronicleDirection.file(received)) {
                delete(file);
            }
        };
    }

    private static void delete(File file) {
        try {
            Files.deleteIfExists(file.toPath());
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot remove " + file, e);
        }
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time
    public int poll(Message into) {
        ExcerptTailer from = tailer;
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
        if (waiting < 0 || waiting > ChronicleDirection.BOUND || !read(from, into)) {
            return BROKEN;
        }
        if ((++received & QUARTER_MASK) == 0) {
            publish();
        }
        return RECEIVED;
    }

    private static boolean read(ExcerptTailer from, Message into) {
        try (DocumentContext document = from.readingDocument()) {
            Wire wire = document.isPresent() ? document.wire() : null;
            return wire != null && read(wire.bytes(), into);
        } catch (RuntimeException | InternalError e) {
            LOG.log(System.Logger.Level.WARNING, "cannot read from a queue", e);
            return false;
        }
    }

    private static boolean read(Bytes<?> bytes, Message into) {
        if (bytes.readRemaining() < Long.BYTES) {
            return false;
        }
        int words = into.load(bytes.readLong());
        if (words < 0 || bytes.readRemaining() < (long) words * Long.BYTES) {
            return false;
        }
        for (int i = 0; i < words; i++) {
            into.setWord(i, bytes.readLong());
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
        return tailer != null && memory.getLongAcquire(direction.sentOffset()) != received;
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
        if (queue != null) {
            queue.close();
        }
    }
}
