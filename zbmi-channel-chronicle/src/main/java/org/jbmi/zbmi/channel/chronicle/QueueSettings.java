package org.jbmi.zbmi.channel.chronicle;

/**
 * How the queues of a channel are.
 *
 * @param files whose they are
 * @param bound most messages that are sent and not read, a power of two, 4 or more
 * @param messagesPerFile after so many a new file begins
 */
record QueueSettings(QueueFiles files, int bound, int messagesPerFile) {
    /** The usual bound. */
    static final int BOUND = 4096;

    /** The usual length of a file. */
    static final int MESSAGES_PER_FILE = 1 << 16;

    /** Those of this machine. */
    static QueueSettings usual() {
        return new QueueSettings(new MappedQueueFiles(), BOUND, MESSAGES_PER_FILE);
    }
}
