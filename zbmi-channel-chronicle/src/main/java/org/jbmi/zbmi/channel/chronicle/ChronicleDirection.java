package org.jbmi.zbmi.channel.chronicle;

import net.openhft.chronicle.core.time.TimeProvider;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.StoreFileListener;

import org.jbmi.mempool.SharedMemory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * One direction of a channel: a queue, and beside it in the segment two counts, of what was sent
 * and of what was read. The library has no bound, so the counts are one; it cannot be asked cheaply
 * whether there is anything, so the counts can; and it begins a new file by the time of day, so it
 * is told a time that goes by the number of the message: each side by what it has counted itself,
 * and not by what the other one claims.
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
    static final int MESSAGES_PER_FILE = 1 << 16;

    private static final RollCycles CYCLE = RollCycles.FIVE_MINUTELY;
    private static final int BLOCK_BYTES = 1 << 16;

    /** The file in which a message lies. */
    static int file(long message) {
        return 1 + (int) (message / MESSAGES_PER_FILE);
    }

    /**
     * Opens the queue; its files are the user's alone.
     *
     * @param message number of the next message
     * @param listener told of files
     */
    ChronicleQueue open(LongSupplier message, StoreFileListener listener) throws IOException {
        ChronicleFlags.beQuiet();
        TimeProvider time = () -> file(message.getAsLong()) * (long) CYCLE.lengthInMillis();
        ChronicleQueue queue =
                ChronicleQueue.singleBuilder(folder)
                        .rollCycle(CYCLE)
                        .timeProvider(time)
                        .blockSize(BLOCK_BYTES)
                        .storeFileListener(listener)
                        .build();
        OwnerOnly.restrictFiles(folder);
        return queue;
    }
}
