package org.jbmi.zbmi.channel.chronicle;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.wire.DocumentContext;
import net.openhft.chronicle.wire.Wire;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.MessageSink;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** Appends messages to a queue: header, then words. Full until its queue is open. */
final class ChronicleSink implements MessageSink, AutoCloseable {
    private final SharedMemory memory;
    private final ChronicleDirection direction;
    private @Nullable ChronicleQueue queue;
    private volatile @Nullable ExcerptAppender appender;
    private volatile long sent;
    private long consumed;

    ChronicleSink(ChronicleDirection direction) {
        this.direction = direction;
        this.memory = direction.memory();
    }

    /** Opens its queue, which can take a second; by any thread, once. */
    void open() throws IOException {
        ChronicleQueue opened = direction.open(() -> sent, new OwnerOnly());
        queue = opened;
        ExcerptAppender made = opened.createAppender();
        // Its users take turns under a lock of their own.
        made.singleThreadedCheckDisabled(true);
        appender = made;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time
    public int offer(Message message) {
        ExcerptAppender to = appender;
        if (to == null) {
            return FULL;
        }
        if (sent - consumed >= ChronicleDirection.BOUND) {
            int room = room();
            if (room != SENT) {
                return room;
            }
        }
        if (!append(to, message)) {
            return BROKEN;
        }
        memory.setLongRelease(direction.sentOffset(), ++sent);
        return SENT;
    }

    private static boolean append(ExcerptAppender to, Message message) {
        try (DocumentContext document = to.writingDocument()) {
            Wire wire = document.wire();
            if (wire == null) {
                return false;
            }
            Bytes<?> bytes = wire.bytes();
            bytes.writeLong(message.header());
            for (int i = 0; i < message.wordCount(); i++) {
                bytes.writeLong(message.word(i));
            }
            return true;
        } catch (RuntimeException | InternalError e) {
            System.getLogger(ChronicleSink.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot write to a queue", e);
            return false;
        }
    }

    @Override
    public int room() {
        if (appender == null) {
            return FULL;
        }
        long now = memory.getLongAcquire(direction.consumedOffset());
        if (now < consumed || now > sent) {
            return BROKEN;
        }
        consumed = now;
        return sent - now < ChronicleDirection.BOUND ? SENT : FULL;
    }

    /** No thread may be inside any more. */
    @Override
    public void close() {
        if (queue != null) {
            queue.close();
        }
    }
}
