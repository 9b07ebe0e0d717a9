package org.jbmi.zbmi.channel.chronicle;

/** The writing end of a queue. For one thread at a time. */
public interface QueueWriter extends AutoCloseable {
    /**
     * Appends a record, which is there for a reader when it is complete, and not before.
     *
     * @return false if it cannot be written
     */
    boolean append(long[] words, int count);

    @Override
    void close();
}
