package org.jbmi.zbmi.channel.chronicle;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.MessageSink;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * Appends messages to a queue: header, then words. Full until its queue is open; broken for good
 * when a message could not be written, since it may be there in part, or late.
 */
final class ChronicleSink implements MessageSink, AutoCloseable {
    private final SharedMemory memory;
    private final ChronicleDirection direction;
    private final int bound;
    private final long[] record = new long[1 + Message.MAX_WORDS];
    private volatile @Nullable QueueWriter writer;
    private volatile long sent;
    private long consumed;
    private volatile boolean isBroken;

    ChronicleSink(ChronicleDirection direction) {
        this.direction = direction;
        this.memory = direction.memory();
        this.bound = direction.bound();
    }

    /** Opens its queue, which can take a second; by any thread, once. */
    void open() throws IOException {
        writer = direction.files().writer(direction.folder(), () -> direction.file(sent));
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time
    public int offer(Message message) {
        QueueWriter to = writer;
        if (to == null) {
            return FULL;
        }
        if (isBroken) {
            return BROKEN;
        }
        if (sent - consumed >= bound) {
            int room = room();
            if (room != SENT) {
                return room;
            }
        }
        if (!append(to, message)) {
            isBroken = true;
            return BROKEN;
        }
        memory.setLongRelease(direction.sentOffset(), ++sent);
        return SENT;
    }

    private boolean append(QueueWriter to, Message message) {
        int words = message.wordCount();
        record[0] = message.header();
        for (int i = 0; i < words; i++) {
            record[1 + i] = message.word(i);
        }
        try {
            return to.append(record, 1 + words);
        } catch (RuntimeException | InternalError | AssertionError e) {
            isBroken = true; // before the log, which may fail in a full heap
            System.getLogger(ChronicleSink.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot write to a queue", e);
            return false;
        } catch (Error e) { // of a full heap: the caller has it, and the message may be there
            isBroken = true;
            throw e;
        }
    }

    @Override
    public int room() {
        if (writer == null) {
            return FULL;
        }
        long now = memory.getLongAcquire(direction.consumedOffset());
        if (isBroken || now < consumed || now > sent) {
            return BROKEN;
        }
        consumed = now;
        return sent - now < bound ? SENT : FULL;
    }

    /** No thread may be inside any more. */
    @Override
    public void close() {
        QueueWriter open = writer;
        if (open == null) {
            return;
        }
        try {
            open.close();
        } catch (RuntimeException | InternalError | AssertionError e) {
            System.getLogger(ChronicleSink.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot close a queue", e);
        }
    }
}
