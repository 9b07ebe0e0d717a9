package org.jbmi.zbmi.host.journal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Keeps journals in folders. Found by {@link java.util.ServiceLoader}. */
public interface JournalProvider {
    /**
     * Whether journals can be kept and read in this process.
     *
     * @return empty if so, else a sentence part that says why not and what to do
     */
    Optional<String> unavailabilityReason();

    /**
     * Why no journal can begin in a folder now. Changes nothing.
     *
     * @param folder may be missing
     * @return a sentence part; empty if nothing is seen in the way. Only {@link #create} finds a
     *     host that has just begun there
     * @throws IOException if the folder cannot be read
     */
    Optional<String> obstacle(Path folder) throws IOException;

    /**
     * Begins a journal.
     *
     * @param folder made if it is not there, for this user alone; must hold no journal yet
     * @return to be closed
     * @throws IOException if it cannot be made, with a sentence
     */
    EngineJournal create(Path folder) throws IOException;

    /**
     * Opens a journal, also one that is being written.
     *
     * @return to be closed
     * @throws IOException if it cannot be read, with a sentence
     */
    JournalReader open(Path folder) throws IOException;
}
