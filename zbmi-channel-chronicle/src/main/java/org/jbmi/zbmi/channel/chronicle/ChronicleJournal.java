package org.jbmi.zbmi.channel.chronicle;

import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.wire.DocumentContext;
import net.openhft.chronicle.wire.Wire;

import org.jbmi.mempool.os.LockedFile;
import org.jbmi.zbmi.host.journal.EngineJournal;
import org.jbmi.zbmi.host.journal.JournalRecord;
import org.jspecify.annotations.Nullable;

/** Appends records to a queue. */
final class ChronicleJournal implements EngineJournal {
    private final ChronicleQueue queue;
    private final LockedFile lock;
    private @Nullable ExcerptAppender appender;

    /** Holds the lock of its folder until it is closed. */
    ChronicleJournal(ChronicleQueue queue, LockedFile lock) {
        this.queue = queue;
        this.lock = lock;
    }

    private ExcerptAppender appender() {
        ExcerptAppender made = appender;
        if (made == null) {
            made = queue.createAppender();
            // Where callers run the engine, they take turns under its lock.
            made.singleThreadedCheckDisabled(true);
            appender = made;
        }
        return made;
    }

    @Override
    public void append(JournalRecord record) {
        try (DocumentContext document = appender().writingDocument()) {
            Wire wire = document.wire();
            if (wire == null) {
                throw new IllegalStateException("the queue gives no place to write");
            }
            RecordBytes.write(record, wire.bytes());
        }
    }

    @Override
    public void close() {
        try {
            queue.close();
        } finally {
            lock.close();
        }
    }
}
