package org.jbmi.tools.cli;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A private directory that lives as long as the program that made it. A lock in it shows that the
 * program lives. If the program is killed, a later one removes the directory.
 */
public final class PrivateDirectory implements AutoCloseable {
    /** The property that names the directory for temporary files. */
    public static final String TEMPORARY = "java.io.tmpdir";

    private static final String PREFIX = "bmi-private-";
    private static final String LOCK = "lock";

    /** The directory is called so until its program has locked it. */
    private static final String MAKING_PREFIX = "bmi-making-";

    private static final Set<PosixFilePermission> OWNER_ONLY =
            Set.copyOf(PosixFilePermissions.fromString("rwx------"));

    private static final String EACH = "bmi-{private,making}-*";

    /**
     * In the names of those of this process. It must not open their locks again: when it closes
     * such a file, it loses its lock. Another process may get the same id later, but not the same
     * start.
     */
    private static final String OWN = own(ProcessHandle.current());

    /** A program may be about to lock a directory that it has just made. */
    private static final Duration GRACE = Duration.ofMinutes(1);

    private static final int NUMBERS = 36 * 36 * 36;

    private static String own(ProcessHandle process) {
        long startMs = process.info().startInstant().orElseGet(Instant::now).toEpochMilli();
        return process.pid() + "-" + Long.toString(startMs, Character.MAX_RADIX) + "-";
    }

    private final Path path;
    private final FileChannel lock;
    private volatile @Nullable Thread atExit;

    private PrivateDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** The directory for temporary files. */
    public static Path temporary() {
        return Path.of(System.getProperty(TEMPORARY, "/tmp"));
    }

    /**
     * Makes one, and removes those of this user's programs that have died.
     *
     * @param parent where it is to lie
     * @param setting the name of the knob or property that chose the parent, for messages
     * @return a directory that has only its lock
     * @throws IOException if it cannot be made; the message says why
     */
    public static PrivateDirectory create(Path parent, String setting) throws IOException {
        if (!Files.isDirectory(parent)) {
            throw new IOException(setting + " names " + parent + ", which is no directory");
        }
        Path making;
        try {
            making = make(parent);
        } catch (FileSystemException e) {
            String reason = e.getReason() == null ? "" : ": " + e.getReason();
            throw new IOException(
                    "%s names %s, where this user can make no directory%s"
                            .formatted(setting, parent, reason),
                    e);
        }
        String own = making.getFileName().toString().substring(MAKING_PREFIX.length());
        Path path = parent.resolve(PREFIX + own);
        FileChannel channel =
                FileChannel.open(
                        making.resolve(LOCK),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE);
        boolean made = false;
        try {
            if (channel.tryLock() == null) {
                throw new IOException("Another process holds the new lock " + making.resolve(LOCK));
            }
            Files.move(making, path, StandardCopyOption.ATOMIC_MOVE);
            sweep(parent, Files.getOwner(path));
            made = true;
        } finally {
            if (!made) {
                channel.close();
            }
        }
        return new PrivateDirectory(path, channel);
    }

    // Sockets lie beneath it, whose paths may have 100 bytes only: so the name is short.
    private static Path make(Path parent) throws IOException {
        FileAttribute<?> ownerOnly = PosixFilePermissions.asFileAttribute(OWNER_ONLY);
        while (true) {
            int number = ThreadLocalRandom.current().nextInt(NUMBERS);
            Path making =
                    parent.resolve(
                            MAKING_PREFIX + OWN + Integer.toString(number, Character.MAX_RADIX));
            try {
                return Files.createDirectory(making, ownerOnly);
            } catch (FileAlreadyExistsException e) {
                // The next number may be free.
            }
        }
    }

    /**
     * Makes one beside this one; closes this one if that fails.
     *
     * @param parent where it is to lie
     * @param setting the name of the knob or property that chose the parent, for messages
     * @throws IOException if it cannot be made; the message says why
     */
    public PrivateDirectory another(Path parent, String setting) throws IOException {
        boolean made = false;
        try {
            PrivateDirectory other = create(parent, setting);
            made = true;
            return other;
        } finally {
            if (!made) {
                close();
            }
        }
    }

    /** {@return the path of the directory} */
    public Path path() {
        return path;
    }

    /** From now on a signal that ends this program removes the directory too. */
    public void removeAtExit() {
        Thread hook = Thread.ofPlatform().unstarted(this::closeAtExit);
        Runtime.getRuntime().addShutdownHook(hook);
        atExit = hook;
    }

    private void closeAtExit() {
        atExit = null;
        try {
            close();
        } catch (IOException e) {
            System.getLogger("org.jbmi").log(System.Logger.Level.DEBUG, path.toString(), e);
        }
    }

    /** Removes the directory with everything in it. */
    @Override
    public void close() throws IOException {
        try (lock) {
            Trees.delete(path);
        }
        Thread hook = atExit;
        if (hook != null) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The program ends, and the hook finds nothing.
            }
        }
    }

    private static void sweep(Path parent, UserPrincipal owner) throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(parent, EACH)) {
            for (Path directory : found) {
                sweepOne(directory, owner);
            }
        }
    }

    private static void sweepOne(Path directory, UserPrincipal owner) {
        try {
            if (!directory.getFileName().toString().startsWith(PREFIX + OWN)
                    && isPrivate(directory, owner)
                    && isDead(directory)) {
                Trees.delete(directory);
            }
        } catch (IOException e) {
            // Its program removes it right now.
            return;
        }
    }

    // Where others may write, they may put links and pipes in the way of the one who deletes.
    private static boolean isPrivate(Path directory, UserPrincipal owner) throws IOException {
        PosixFileAttributes found =
                Files.readAttributes(
                        directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return found.isDirectory()
                && found.owner().equals(owner)
                && found.permissions().equals(OWNER_ONLY);
    }

    private static boolean isDead(Path directory) throws IOException {
        Path file = directory.resolve(LOCK);
        boolean hasLock = Files.exists(file, LinkOption.NOFOLLOW_LINKS);
        if (!hasLock || directory.getFileName().toString().startsWith(MAKING_PREFIX)) {
            Instant changed = Files.getLastModifiedTime(directory).toInstant();
            if (changed.isAfter(Instant.now().minus(GRACE))) {
                return false;
            }
        }
        if (!hasLock) {
            return true;
        }
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return false; // no program of ours has made it, and to open a pipe would block
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
