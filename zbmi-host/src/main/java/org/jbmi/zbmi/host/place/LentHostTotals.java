package org.jbmi.zbmi.host.place;

import org.jbmi.BmiException;
import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;
import org.jbmi.observe.CountersReader;
import org.jbmi.zbmi.attach.RuntimeDirectory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/**
 * Adds the totals and errors of a direct server that has ended to those of the daemon that lent the
 * memory. So totals never fall. The files are the server's: they are copied before they are read,
 * and nothing in them is trusted.
 */
public final class LentHostTotals {
    private static final long MAX_BYTES = 16 << 20;

    private final Counters counters;
    private final ErrorLog errors;

    /**
     * For one daemon.
     *
     * @param counters the daemon's, to which totals are added
     * @param errors the daemon's, to which errors are added
     */
    public LentHostTotals(Counters counters, ErrorLog errors) {
        this.counters = counters;
        this.errors = errors;
    }

    /** Takes over the files in the directory, and records an error if it cannot and has memory. */
    public void takeOver(RuntimeDirectory directory) {
        try {
            takeOverFiles(directory);
        } catch (OutOfMemoryError | LinkageError e) {
            // It would end the engine for all. What the server had counted is lost.
        }
    }

    private void takeOverFiles(RuntimeDirectory directory) {
        try {
            if (isFile(directory.serverCounters())) {
                inheritCounters(directory.serverCounters());
            }
            if (isFile(directory.serverErrors())) {
                errors.takeOver(ErrorsFile.read(directory.serverErrors()));
            }
        } catch (IOException | BmiException e) {
            errors.record("What a server had counted is lost: " + e.getMessage());
        }
    }

    private static boolean isFile(Path file) {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
    }

    private void inheritCounters(Path file) throws IOException {
        try (Arena arena = Arena.ofConfined();
                CountersReader reader = new CountersReader(FileCopy.of(file, MAX_BYTES, arena))) {
            add(reader.read());
        }
    }

    // Those that the daemon has as well: a total of the server is added, a session's counter is
    // not.
    private void add(List<CountersReader.Reading> readings) {
        for (CountersReader.Reading reading : readings) {
            String label = reading.spec().label();
            Counter own = HostCounters.isTotal(label) ? counters.find(label) : null;
            if (own != null && reading.value() > 0) {
                own.add(reading.value());
            }
        }
    }
}
