package org.jbmi.zbmi.channel.chronicle;

import net.openhft.chronicle.core.time.TimeProvider;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.StoreFileListener;

import org.jbmi.mempool.SharedMemory;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * One direction of a channel: a queue, and beside it in the segment two counts, of what was sent
 * and of what was read. The library has no bound, so the counts are one; it cannot be asked cheaply
 * whether there is anything, so the counts can; and it begins a new file by the time of day, so it
 * is told a time that goes by what was sent.
 *
 * @param folder of the queue
 * @param memory of the segment
 * @param sentOffset count of messages sent, kept by the sender
 * @param consumedOffset count of messages read, kept by the reader
 */
record ChronicleDirection(Path folder, SharedMemory memory, long sentOffset, long consumedOffset) {
    /** Most messages that are sent and not read. */
    static final int BOUND = 4096;

    /** After so many messages a new file begins. */
    private static final int MESSAGES_PER_FILE_SHIFT = 16;

    private static final RollCycles CYCLE = RollCycles.FIVE_MINUTELY;
    private static final int BLOCK_BYTES = 1 << 16;

    ChronicleQueue openToSend() {
        return open(StoreFileListener.noOp());
    }

    /** Opens it; a file that was read is deleted, unless all are to be kept. */
    ChronicleQueue openToReceive(boolean keepFiles) {
        return open(
                keepFiles ? StoreFileListener.noOp() : new DeleteWhatWasRead(memory, sentOffset));
    }

    private ChronicleQueue open(StoreFileListener listener) {
        ChronicleFlags.beQuiet();
        TimeProvider time = () -> timeMs(memory.getLongVolatile(sentOffset));
        return ChronicleQueue.singleBuilder(folder)
                .rollCycle(CYCLE)
                .timeProvider(time)
                .blockSize(BLOCK_BYTES)
                .storeFileListener(listener)
                .build();
    }

    private static long timeMs(long sent) {
        return (1 + (sent >>> MESSAGES_PER_FILE_SHIFT)) * CYCLE.lengthInMillis();
    }

    private record DeleteWhatWasRead(SharedMemory memory, long sentOffset)
            implements StoreFileListener {
        @Override
        public void onReleased(int cycle, File file) {
            long now = timeMs(memory.getLongVolatile(sentOffset)) / CYCLE.lengthInMillis();
            if (cycle < now) {
                try {
                    Files.deleteIfExists(file.toPath());
                } catch (IOException e) {
                    System.getLogger(ChronicleDirection.class.getName())
                            .log(System.Logger.Level.WARNING, "cannot remove " + file, e);
                }
            }
        }
    }
}
