package org.jbmi.zbmi.channel.chronicle;

/** The reading end of a queue. For one thread at a time. */
public interface QueueReader extends AutoCloseable {
    /** There is no complete record. */
    int NOTHING = -1;

    /**
     * Takes the next record.
     *
     * @param into its whole words, as many as there is place for
     * @return how many bytes it has, or {@link #NOTHING}
     */
    long read(long[] into);

    @Override
    void close();
}
