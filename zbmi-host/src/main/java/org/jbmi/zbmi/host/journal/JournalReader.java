package org.jbmi.zbmi.host.journal;

/** Reads a journal from its beginning. Not thread-safe. */
public interface JournalReader extends AutoCloseable {
    /** A record was read. */
    int RECORD = 1;

    /** There is no further record now; more may come while the journal is being written. */
    int NOTHING = 0;

    /** The journal is cut off: what comes next is no whole record. No more will come. */
    int CUT_OFF = -1;

    /**
     * Reads the next record.
     *
     * @return {@link #RECORD}, {@link #NOTHING} or {@link #CUT_OFF}
     */
    int read(JournalRecord into);

    /**
     * Whether a host still has the journal, so that more may come. If not, what it wrote before can
     * still be read.
     *
     * @return true also if that cannot be told
     */
    boolean isBeingWritten();

    @Override
    void close();
}
