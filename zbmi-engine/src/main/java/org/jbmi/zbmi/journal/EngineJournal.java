package org.jbmi.zbmi.journal;

/**
 * Where the records of one engine go. For the engine's thread alone, but for {@link #close}, which
 * follows when that thread has ended.
 */
public interface EngineJournal extends AutoCloseable {
    /**
     * Keeps a record.
     *
     * @param record copied
     * @throws RuntimeException if it cannot be kept; nothing more will be asked
     */
    void append(JournalRecord record);

    /** No more records will come. */
    @Override
    void close();
}
