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
 * A private directory that lives as long as the program that made it. A lock in it shows that the
 * program lives. If the program is killed, the next one removes the directory.
 */
public final class PrivateDirectory implements AutoCloseable {
    private static final String PREFIX = "bmi-private-";
    private static final String LOCK = "lock";

    /** A directory without a lock may belong to a program that is about to lock it. */
    private static final Duration GRACE = Duration.ofMinutes(1);

    private final Path path;
    private final FileChannel lock;

    private PrivateDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Removes the directories of dead programs, and makes one.
     *
     * @param parent where to make it
     * @return a directory that has only its lock
     * @throws IOException if it cannot be made; the message says why
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
            throw new IOException("Another process holds the new lock " + path.resolve(LOCK));
        }
        return new PrivateDirectory(path, channel);
    }

    /** {@return the path of the directory} */
    public Path path() {
        return path;
    }

    /** Removes the directory with everything in it. */
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
            // It belongs to another user, or its program removes it right now.
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
            // It belongs to this process.
            return false;
        }
    }
}
