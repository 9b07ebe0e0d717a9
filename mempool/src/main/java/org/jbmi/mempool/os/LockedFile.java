package org.jbmi.mempool.os;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file with an exclusive lock, which shows everywhere that its owner lives, also in other process
 * namespaces. The lock belongs to the open file and not to the process. So neither another channel
 * of this process on the same file nor a garbage collection releases it. The system releases it
 * when this object is closed, or when the process ends in any way.
 *
 * <p>This lock and the record locks of {@link java.nio.channels.FileChannel} exclude each other.
 * Thread-safe.
 */
public final class LockedFile implements AutoCloseable {
    private static final int GET_LOCK = 36;
    private static final int SET_LOCK = 37;
    private static final short WRITE_LOCK = 1;
    private static final short NO_LOCK = 2;
    private static final long LOCK_BYTES = 32;
    private static final int CLOSED = -1;

    private final AtomicInteger descriptor;

    private LockedFile(int descriptor) {
        this.descriptor = new AtomicInteger(descriptor);
    }

    /**
     * Makes an empty file to lock, for its user only, if there is none of that name.
     *
     * @throws IOException if it cannot be made
     */
    public static void make(Path file) throws IOException {
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
     * Locks a file, without waiting.
     *
     * @param file that exists and may be written; a symbolic link is refused
     * @return the lock, or null if it is taken, in this process or another
     * @throws IOException if the file cannot be opened, or its file system has no locks
     */
    public static @Nullable LockedFile tryLock(Path file) throws IOException {
        int descriptor = open(file);
        int errno = Errno.EIO;
        try {
            errno = call(descriptor, SET_LOCK).errno();
        } finally {
            if (errno != 0) {
                NativeAccess.close(descriptor);
            }
        }
        if (errno == 0) {
            return new LockedFile(descriptor);
        }
        if (errno == Errno.EAGAIN || errno == Errno.EACCES) {
            return null;
        }
        throw new IOException("cannot lock " + file + ": " + Errno.describe(errno));
    }

    /**
     * Whether a file is locked. Takes no lock, so it delays no other process.
     *
     * @param file that exists and may be written
     * @return whether {@link #tryLock} would find it locked now
     * @throws IOException if the file cannot be opened, or its file system has no locks
     */
    public static boolean isLocked(Path file) throws IOException {
        int descriptor = open(file);
        try {
            Answer answer = call(descriptor, GET_LOCK);
            if (answer.errno() != 0) {
                throw new IOException(
                        "cannot look at " + file + ": " + Errno.describe(answer.errno()));
            }
            return answer.type() != NO_LOCK;
        } finally {
            NativeAccess.close(descriptor);
        }
    }

    private static int open(Path file) throws IOException {
        int descriptor = NativeAccess.openExisting(file);
        if (descriptor == -Errno.ENOENT) {
            throw new NoSuchFileException(file.toString());
        }
        if (descriptor < 0) {
            throw new IOException("cannot open " + file + ": " + Errno.describe(-descriptor));
        }
        return descriptor;
    }

    private record Answer(int errno, short type) {}

    // A type, the base of the start, the start, a length of 0 for the whole file, and a process of
    // 0.
    private static Answer call(int descriptor, int command) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment lock = arena.allocate(LOCK_BYTES, Long.BYTES);
            lock.set(ValueLayout.JAVA_SHORT, 0, WRITE_LOCK);
            int errno = NativeAccess.control(descriptor, command, lock);
            return new Answer(errno, lock.get(ValueLayout.JAVA_SHORT, 0));
        }
    }

    /** Releases the lock. A second close does nothing. */
    @Override
    public void close() {
        int open = descriptor.getAndSet(CLOSED);
        if (open != CLOSED) {
            NativeAccess.close(open);
        }
    }
}
