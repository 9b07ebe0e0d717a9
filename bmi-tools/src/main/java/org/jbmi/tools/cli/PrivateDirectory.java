package org.jbmi.tools.cli;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;

/**
 * A private directory that lives as long as the program that made it. A lock in it tells whether
 * that is so: a program that was killed leaves its directory behind, and the next one removes it.
 */
public final class PrivateDirectory implements AutoCloseable {
    private static final String PREFIX = "bmi-private-";
    private static final String LOCK = "lock";

    /** A directory without a lock may be one whose program is just about to lock it. */
    private static final Duration GRACE = Duration.ofMinutes(1);

    private final Path path;
    private final FileChannel lock;

    private PrivateDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Removes what dead programs left, and makes a directory.
     *
     * @param parent where to make it
     * @return an empty directory but for its lock
     * @throws IOException if it cannot be made, with a sentence
     */
    public static PrivateDirectory create(Path parent) throws IOException {
        if (!Files.isDirectory(parent)) {
            throw new IOException("There is no directory " + parent + " for private files");
        }
        sweep(parent);
        Path path = Files.createTempDirectory(parent, PREFIX);
        FileChannel channel =
                FileChannel.open(
                        path.resolve(LOCK),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE);
        if (channel.tryLock() == null) {
            channel.close();
            throw new IOException("Somebody else holds the new lock " + path.resolve(LOCK));
        }
        return new PrivateDirectory(path, channel);
    }

    /**
     * Where it is.
     *
     * @return its path
     */
    public Path path() {
        return path;
    }

    /** Removes the directory with all that is in it. */
    @Override
    public void close() throws IOException {
        try (lock) {
            Trees.delete(path);
        }
    }

    private static void sweep(Path parent) throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path directory : found) {
                sweepOne(directory);
            }
        }
    }

    private static void sweepOne(Path directory) {
        try {
            if (Files.isWritable(directory) && isDead(directory)) {
                Trees.delete(directory);
            }
        } catch (IOException e) {
            // Somebody else's, or going away this moment: not ours to worry about.
            return;
        }
    }

    private static boolean isDead(Path directory) throws IOException {
        Path file = directory.resolve(LOCK);
        if (!Files.exists(file)) {
            Instant changed = Files.getLastModifiedTime(directory).toInstant();
            return changed.isBefore(Instant.now().minus(GRACE));
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock free = channel.tryLock()) {
            return free != null;
        } catch (OverlappingFileLockException e) {
            // One of this very process.
            return false;
        }
    }
}
