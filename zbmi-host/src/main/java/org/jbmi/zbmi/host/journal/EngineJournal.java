package org.jbmi.zbmi.host.journal;

/**
 * Where the records of one engine go. For one thread at a time: whichever runs the engine, or
 * closes it.
 */
public interface EngineJournal extends AutoCloseable {
    /**
     * Keeps a record.
     *
     * @param record copied
     * @throws RuntimeException if it cannot be kept; the journal is closed next
     */
    void append(JournalRecord record);

    /** No more records will come. */
    @Override
    void close();
}
