package org.jbmi.zbmi.channel.chronicle;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.wire.DocumentContext;
import net.openhft.chronicle.wire.Wire;

/** Reads a Chronicle Queue. */
final class MappedQueueReader implements QueueReader {
    private final ChronicleQueue queue;
    private final ExcerptTailer tailer;

    /** Takes ownership of the queue. */
    MappedQueueReader(ChronicleQueue queue) {
        this.queue = queue;
        this.tailer = queue.createTailer();
        // Its users take turns under a lock of their own.
        tailer.singleThreadedCheckDisabled(true);
    }

    @Override
    public long read(long[] into) {
        try (DocumentContext document = tailer.readingDocument()) {
            Wire wire = document.isPresent() ? document.wire() : null;
            return wire == null ? NOTHING : read(wire.bytes(), into);
        }
    }

    private static long read(Bytes<?> bytes, long[] into) {
        long size = bytes.readRemaining();
        long words = Math.min(into.length, size / Long.BYTES);
        for (int i = 0; i < words; i++) {
            into[i] = bytes.readLong();
        }
        return size;
    }

    @Override
    public void close() {
        queue.close();
    }
}
