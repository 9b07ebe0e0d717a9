package org.jbmi.zbmi.channel.chronicle;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.wire.DocumentContext;
import net.openhft.chronicle.wire.Wire;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.MessageSink;
import org.jbmi.zbmi.protocol.Message;

/** Appends messages to a queue: header, then words. */
final class ChronicleSink implements MessageSink, AutoCloseable {
    private final ChronicleQueue queue;
    private final ExcerptAppender appender;
    private final SharedMemory memory;
    private final ChronicleDirection direction;
    private long sent;
    private long consumed;

    ChronicleSink(ChronicleDirection direction) {
        this.direction = direction;
        this.memory = direction.memory();
        this.queue = direction.openToSend();
        this.appender = queue.createAppender();
        // Its users take turns under a lock of their own.
        appender.singleThreadedCheckDisabled(true);
    }

    @Override
    public int offer(Message message) {
        if (sent - consumed >= ChronicleDirection.BOUND) {
            int room = room();
            if (room != SENT) {
                return room;
            }
        }
        try (DocumentContext document = appender.writingDocument()) {
            Wire wire = document.wire();
            if (wire == null) {
                return BROKEN;
            }
            Bytes<?> bytes = wire.bytes();
            bytes.writeLong(message.header());
            for (int i = 0; i < message.wordCount(); i++) {
                bytes.writeLong(message.word(i));
            }
        }
        memory.setLongRelease(direction.sentOffset(), ++sent);
        return SENT;
    }

    @Override
    public int room() {
        long now = memory.getLongAcquire(direction.consumedOffset());
        if (now < consumed || now > sent) {
            return BROKEN;
        }
        consumed = now;
        return sent - now < ChronicleDirection.BOUND ? SENT : FULL;
    }

    @Override
    public void close() {
        queue.close();
    }
}
