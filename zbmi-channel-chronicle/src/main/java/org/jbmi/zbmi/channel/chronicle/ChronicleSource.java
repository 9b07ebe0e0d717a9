package org.jbmi.zbmi.channel.chronicle;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.wire.DocumentContext;
import net.openhft.chronicle.wire.Wire;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.MessageSource;
import org.jbmi.zbmi.protocol.Message;

/** Reads messages from a queue. */
final class ChronicleSource implements MessageSource, AutoCloseable {
    private static final int QUARTER_MASK = ChronicleDirection.BOUND / 4 - 1;

    private final ChronicleQueue queue;
    private final ExcerptTailer tailer;
    private final SharedMemory memory;
    private final ChronicleDirection direction;
    private final long creditWantedOffset;
    private volatile long received;
    private long published;
    private boolean isCreditDue;

    ChronicleSource(ChronicleDirection direction, long creditWantedOffset, boolean keepFiles) {
        this.direction = direction;
        this.memory = direction.memory();
        this.creditWantedOffset = creditWantedOffset;
        this.queue = direction.openToReceive(keepFiles);
        this.tailer = queue.createTailer();
        // Its users take turns under a lock of their own.
        tailer.singleThreadedCheckDisabled(true);
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time
    public int poll(Message into) {
        long waiting = memory.getLongAcquire(direction.sentOffset()) - received;
        if (waiting == 0) {
            if (published != received) {
                publish();
            }
            return EMPTY;
        }
        if (waiting < 0 || waiting > ChronicleDirection.BOUND || !read(into)) {
            return BROKEN;
        }
        if ((++received & QUARTER_MASK) == 0) {
            publish();
        }
        return RECEIVED;
    }

    private boolean read(Message into) {
        try (DocumentContext document = tailer.readingDocument()) {
            Wire wire = document.isPresent() ? document.wire() : null;
            if (wire == null) {
                return false;
            }
            Bytes<?> bytes = wire.bytes();
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
        return memory.getLongAcquire(direction.sentOffset()) != received;
    }

    @Override
    public boolean takeCreditDue() {
        boolean due = isCreditDue;
        isCreditDue = false;
        return due;
    }

    @Override
    public void close() {
        queue.close();
    }
}
