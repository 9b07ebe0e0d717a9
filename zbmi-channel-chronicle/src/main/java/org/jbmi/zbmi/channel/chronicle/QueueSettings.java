package org.jbmi.zbmi.channel.chronicle;

/**
 * The settings of a channel's queues.
 *
 * @param files the files of the queues
 * @param bound most messages that are sent and not read, a power of two, 4 or more
 * @param messagesPerFile after so many a new file begins; 1 or more
 */
record QueueSettings(QueueFiles files, int bound, int messagesPerFile) {
    /** The default limit. */
    static final int BOUND = 4096;

    /** The default length of a file. */
    static final int MESSAGES_PER_FILE = 1 << 16;

    private static final int LEAST_BOUND = 4;

    /**
     * Checks both numbers.
     *
     * @throws IllegalArgumentException for one that makes no sense, in words
     */
    QueueSettings {
        if (bound < LEAST_BOUND || Integer.bitCount(bound) != 1) {
            throw new IllegalArgumentException(
                    "a queue of at most %d messages: that must be a power of two, %d or more"
                            .formatted(bound, LEAST_BOUND));
        }
        if (messagesPerFile < 1) {
            throw new IllegalArgumentException(
                    "a file of a queue cannot have " + messagesPerFile + " messages");
        }
    }

    /** Those of this machine. */
    static QueueSettings usual() {
        return new QueueSettings(new MappedQueueFiles(), BOUND, MESSAGES_PER_FILE);
    }
}
