package org.jbmi.zbmi.host;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.Liveness;
import org.jbmi.zbmi.link.RuntimeDirectory;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * The right to be the daemon of a runtime directory. The system takes a file lock back when its
 * process ends, however it ends, so that a lock never outlives its daemon.
 *
 * <p>Closing <em>any</em> descriptor of a locked file gives up the locks that the process has on
 * it. So a second daemon in the same process must not even open the lock file: it is told by the
 * pid file, which is another file for that very reason.
 */
public final class HostLock implements AutoCloseable {
    private static final int MAX_PID_FILE_BYTES = 64;

    private final RuntimeDirectory directory;
    private final FileChannel channel;
    private final FileLock lock;

    private HostLock(RuntimeDirectory directory, FileChannel channel, FileLock lock) {
        this.directory = directory;
        this.channel = channel;
        this.lock = lock;
    }

    /** A daemon's process. */
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
     * @param liveness who lives
     * @return held until it is closed
     * @throws BmiException with {@link ErrorCode#EBUSY} if somebody else has it
     */
    public static HostLock acquire(RuntimeDirectory directory, Liveness liveness) {
        Holder self = Holder.current(liveness);
        Holder named = readHolder(directory.pid());
        if (self.equals(named)) {
            throw taken(directory, named);
        }
        try {
            return lock(directory, self);
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.EIO, "Cannot lock " + directory.lock() + ": " + e + ".", e);
        }
    }

    private static HostLock lock(RuntimeDirectory directory, Holder self) throws IOException {
        FileChannel channel =
                FileChannel.open(
                        directory.lock(),
                        Set.of(
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE,
                                LinkOption.NOFOLLOW_LINKS),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        try {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                throw taken(directory, readHolder(directory.pid()));
            }
            writeHolder(directory.pid(), self);
            return new HostLock(directory, channel, lock);
        } catch (OverlappingFileLockException e) {
            // Left open on purpose: closing it would give up the lock of the daemon that has it.
            throw taken(directory, self);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static BmiException taken(RuntimeDirectory directory, @Nullable Holder holder) {
        String who = holder == null ? "another process" : "process " + holder.pid();
        return new BmiException(
                ErrorCode.EBUSY,
                "A zoid daemon runs in "
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

    /** What the pid file says, or null if it says nothing. */
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
            lock.release();
            channel.close();
        } catch (IOException e) {
            System.getLogger(HostLock.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot give up " + directory.lock(), e);
        }
    }
}
