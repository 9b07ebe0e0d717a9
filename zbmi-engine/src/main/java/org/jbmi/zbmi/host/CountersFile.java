package org.jbmi.zbmi.host;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.observe.Counters;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Counters in a file that other processes map. It goes on a clean end, stays after a crash, and is
 * replaced by the next daemon: never written over, since somebody may still look at the old one.
 *
 * <p>The mapping is left to the garbage collector: counters are handed out, and counting into one
 * after the end must not fail.
 */
public final class CountersFile implements AutoCloseable {

    private final OwnFile file;
    private final Counters counters;

    private CountersFile(OwnFile file, Counters counters) {
        this.file = file;
        this.counters = counters;
    }

    /**
     * Makes the file anew.
     *
     * @param file where
     * @param capacity how many counters it has room for
     * @return an open one
     * @throws BmiException with {@link ErrorCode#EIO} if it cannot be made
     */
    public static CountersFile create(Path file, int capacity) {
        try {
            Files.deleteIfExists(file);
            try (FileChannel channel =
                    FileChannel.open(
                            file,
                            Set.of(
                                    StandardOpenOption.CREATE_NEW,
                                    StandardOpenOption.READ,
                                    StandardOpenOption.WRITE,
                                    LinkOption.NOFOLLOW_LINKS),
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------")))) {
                MemorySegment memory =
                        channel.map(
                                FileChannel.MapMode.READ_WRITE,
                                0,
                                (capacity + 1) * 256L,
                                Arena.ofAuto());
                return new CountersFile(OwnFile.of(file), Counters.over(memory));
            }
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.EIO, "Cannot make the counters file " + file + ": " + e + ".", e);
        }
    }

    /**
     * What is in it.
     *
     * @return live counters
     */
    public Counters counters() {
        return counters;
    }

    @Override
    public void close() {
        file.remove();
    }
}
