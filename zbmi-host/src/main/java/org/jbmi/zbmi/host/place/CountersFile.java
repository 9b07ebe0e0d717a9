package org.jbmi.zbmi.host.place;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.observe.Counters;

import java.nio.file.Path;

/**
 * Counters in a file that other processes map. A normal end removes the file; a crash leaves it.
 * The next host replaces it and does not write into it, since a process may still map the old file.
 *
 * <p>The mapping is left to the garbage collector: counters are handed out, and counting into one
 * after the end must not fail.
 *
 * @param file its name and its identity
 * @param counters what is in it
 */
public record CountersFile(OwnFile file, Counters counters) implements AutoCloseable {
    /**
     * Creates the file.
     *
     * @param capacity how many counters it has room for
     * @throws BmiException with {@link ErrorCode#ENOSPC} if it does not fit into its file system,
     *     {@link ErrorCode#EIO} if it cannot be made
     */
    public static CountersFile create(Path file, int capacity) {
        ReservedFile made = ReservedFile.create(file, (capacity + 1) * 256L, "counters file");
        return new CountersFile(made.file(), Counters.over(made.memory()));
    }

    @Override
    public void close() {
        file.remove();
    }
}
