package org.jbmi.zbmi.channel.chronicle;

import org.jbmi.mempool.SharedMemory;

import java.nio.file.Path;

/**
 * One direction of a channel: a queue, and beside it in the segment two counts, of what was sent
 * and of what was read. The counts bound the queue, because the library does not. They also tell
 * each side whether there is a message, because the library takes long to answer that. The number
 * of a message says in which file it is. Each side numbers messages by its own count, and does not
 * trust the other's for that.
 *
 * @param settings of the channel
 * @param folder of the queue
 * @param memory of the segment
 * @param sentOffset count of messages sent, kept by the sender
 * @param consumedOffset count of messages read, kept by the reader
 */
record ChronicleDirection(
        QueueSettings settings,
        Path folder,
        SharedMemory memory,
        long sentOffset,
        long consumedOffset) {
    /** The file of a message. */
    int file(long message) {
        return 1 + (int) (message / settings.messagesPerFile());
    }

    /** The limit of messages that are sent and not read. */
    int bound() {
        return settings.bound();
    }

    QueueFiles files() {
        return settings.files();
    }
}
