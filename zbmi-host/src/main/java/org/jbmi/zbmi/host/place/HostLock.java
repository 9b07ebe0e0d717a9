package org.jbmi.zbmi.host.place;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.os.LockedFile;
import org.jbmi.mempool.os.NativeAccess;
import org.jbmi.zbmi.attach.FileFailure;
import org.jbmi.zbmi.attach.RuntimeDirectory;

import java.io.IOException;
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

    /**
     * Takes it.
     *
     * @return held until it is closed
     * @throws BmiException with {@link ErrorCode#EBUSY} if another process has it
     */
    public static HostLock acquire(RuntimeDirectory directory) {
        Optional<String> reason = NativeAccess.unavailabilityReason();
        if (reason.isPresent()) {
            throw new BmiException(
                    ErrorCode.ENOSYS, "Cannot lock " + directory.lock() + ": " + reason.get());
        }
        try {
            return lock(directory);
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.EIO,
                    "Cannot lock %s: %s.".formatted(directory.lock(), FileFailure.reason(e)),
                    e);
        }
    }

    private static HostLock lock(RuntimeDirectory directory) throws IOException {
        // The file stays when its host ends: two that start at once must find the same file.
        LockedFile.make(directory.lock());
        LockedFile lock = LockedFile.tryLock(directory.lock());
        if (lock == null) {
            throw taken(directory, readPid(directory.pid()));
        }
        boolean isTaken = false;
        try {
            writePid(directory.pid());
            isTaken = true;
            return new HostLock(directory, lock);
        } finally {
            if (!isTaken) {
                lock.close();
            }
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
                    ErrorCode.EIO,
                    "Cannot look at %s: %s.".formatted(directory.lock(), FileFailure.reason(e)),
                    e);
        }
    }

    private static BmiException taken(RuntimeDirectory directory, long pid) {
        String who = pid == 0 ? "another process" : "process " + pid;
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

    private static void writePid(Path file) throws IOException {
        Files.deleteIfExists(file);
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, ProcessHandle.current().pid() + "\n");
    }

    /** The process named in the pid file, or 0 if it names none. */
    static long readPid(Path file) {
        try {
            if (Files.size(file) > MAX_PID_FILE_BYTES) {
                return 0;
            }
            return Long.parseLong(Files.readString(file).strip());
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }

    // Without memory the lock stays: whoever closes it again must not remove the next host's file.
    @Override
    public void close() {
        try {
            Files.deleteIfExists(directory.pid());
        } catch (IOException e) {
            System.getLogger(HostLock.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot remove " + directory.pid(), e);
        }
        lock.close();
    }
}
