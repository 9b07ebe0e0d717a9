package org.jbmi.zbmi.host.place;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.Liveness;
import org.jbmi.mempool.os.LockedFile;
import org.jbmi.mempool.os.NativeAccess;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/**
 * The lock of a runtime directory for its host. The system releases it when the process ends,
 * however it ends. The pid file beside it only names the process.
 */
public final class HostLock implements AutoCloseable {
    private static final int MAX_PID_FILE_BYTES = 64;

    private final RuntimeDirectory directory;
    private final LockedFile lock;

    private HostLock(RuntimeDirectory directory, LockedFile lock) {
        this.directory = directory;
        this.lock = lock;
    }

    /** A host's process. */
    record Holder(long pid, long startTimeMs) {
        static Holder current(Liveness liveness) {
            long pid = ProcessHandle.current().pid();
            return new Holder(pid, liveness.startTimeMs(pid));
        }
    }

    /**
     * Takes it.
     *
     * @param directory which runtime directory
     * @param liveness which processes live
     * @return held until it is closed
     * @throws BmiException with {@link ErrorCode#EBUSY} if another process has it
     */
    public static HostLock acquire(RuntimeDirectory directory, Liveness liveness) {
        Optional<String> reason = NativeAccess.unavailabilityReason();
        if (reason.isPresent()) {
            throw new BmiException(
                    ErrorCode.ENOSYS, "Cannot lock " + directory.lock() + ": " + reason.get());
        }
        try {
            return lock(directory, Holder.current(liveness));
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.EIO, "Cannot lock " + directory.lock() + ": " + e + ".", e);
        }
    }

    private static HostLock lock(RuntimeDirectory directory, Holder self) throws IOException {
        makeFile(directory.lock());
        LockedFile lock = LockedFile.tryLock(directory.lock());
        if (lock == null) {
            throw taken(directory, readHolder(directory.pid()));
        }
        boolean isTaken = false;
        try {
            writeHolder(directory.pid(), self);
            isTaken = true;
            return new HostLock(directory, lock);
        } finally {
            if (!isTaken) {
                lock.close();
            }
        }
    }

    // The file stays when its host ends: two hosts that start at once must find the same file.
    private static void makeFile(Path file) throws IOException {
        try {
            Files.createFile(
                    file,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
        } catch (FileAlreadyExistsException e) {
            return;
        }
    }

    /**
     * Whether a process has it, in any process namespace.
     *
     * @throws BmiException with {@link ErrorCode#EIO} if the file cannot be read
     */
    static boolean isTaken(RuntimeDirectory directory) {
        try {
            return LockedFile.isLocked(directory.lock());
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.EIO, "Cannot look at " + directory.lock() + ": " + e + ".", e);
        }
    }

    private static BmiException taken(RuntimeDirectory directory, @Nullable Holder holder) {
        String who = holder == null ? "another process" : "process " + holder.pid();
        return new BmiException(
                ErrorCode.EBUSY,
                "A zoid daemon or server runs in "
                        + directory.path()
                        + " already ("
                        + who
                        + "): stop it, or give this one another "
                        + RuntimeDirectory.KNOB.name()
                        + ".");
    }

    private static void writeHolder(Path file, Holder holder) throws IOException {
        Files.deleteIfExists(file);
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, holder.pid() + " " + holder.startTimeMs() + "\n");
    }

    /** The content of the pid file, or null if it is empty or damaged. */
    static @Nullable Holder readHolder(Path file) {
        try {
            if (Files.size(file) > MAX_PID_FILE_BYTES) {
                return null;
            }
            String[] words = Files.readString(file).strip().split(" ", -1);
            return words.length == 2
                    ? new Holder(Long.parseLong(words[0]), Long.parseLong(words[1]))
                    : null;
        } catch (IOException | NumberFormatException e) {
            return null;
        }
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(directory.pid());
        } catch (IOException e) {
            System.getLogger(HostLock.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot remove " + directory.pid(), e);
        } finally {
            lock.close();
        }
    }
}
