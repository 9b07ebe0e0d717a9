package org.jbmi.zbmi.channel.chronicle;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.wire.DocumentContext;
import net.openhft.chronicle.wire.Wire;

/** Appends to a Chronicle Queue. */
final class MappedQueueWriter implements QueueWriter {
    private final ChronicleQueue queue;
    private final ExcerptAppender appender;

    /** Takes ownership of the queue. */
    MappedQueueWriter(ChronicleQueue queue) {
        this.queue = queue;
        this.appender = queue.createAppender();
        // Its users take turns under a lock of their own.
        appender.singleThreadedCheckDisabled(true);
    }

    @Override
    public boolean append(long[] words, int count) {
        try (DocumentContext document = appender.writingDocument()) {
            Wire wire = document.wire();
            if (wire == null) {
                return false;
            }
            Bytes<?> bytes = wire.bytes();
            for (int i = 0; i < count; i++) {
                bytes.writeLong(words[i]);
            }
            return true;
        }
    }

    @Override
    public void close() {
        queue.close();
    }
}
