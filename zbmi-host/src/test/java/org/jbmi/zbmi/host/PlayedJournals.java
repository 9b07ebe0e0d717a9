package org.jbmi.zbmi.host;

import org.jbmi.zbmi.host.journal.EngineJournal;
import org.jbmi.zbmi.host.journal.JournalProvider;
import org.jbmi.zbmi.host.journal.JournalReader;
import org.jbmi.zbmi.host.journal.JournalRecord;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Journals that keep nothing; an open one is a file. */
public final class PlayedJournals implements JournalProvider {
    /** For {@link java.util.ServiceLoader}. */
    public PlayedJournals() {}

    @Override
    public Optional<String> unavailabilityReason() {
        return Optional.empty();
    }

    @Override
    public Optional<String> obstacle(Path file) {
        return Files.exists(file) ? Optional.of(file + " is there already") : Optional.empty();
    }

    @Override
    public EngineJournal create(Path file) throws IOException {
        Files.createFile(file);
        return new EngineJournal() {
            @Override
            public void append(JournalRecord record) {}

            @Override
            public void close() {
                try {
                    Files.delete(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
    }

    @Override
    public JournalReader open(Path folder) {
        throw new UnsupportedOperationException("it keeps nothing");
    }
}
