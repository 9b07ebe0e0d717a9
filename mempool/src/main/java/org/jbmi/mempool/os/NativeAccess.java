package org.jbmi.mempool.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The native calls for shared memory, files and sockets. They exist for Linux on x86-64 and
 * AArch64. On other systems each call throws {@link UnsupportedOperationException} with the reason
 * that {@link #unavailabilityReason()} gives.
 *
 * <p>Thread-safe and without state. The wait and the wake allocate nothing.
 */
public final class NativeAccess {
    private static final Platform PLATFORM = Platform.detect();
    private static final Functions FUNCTIONS = Functions.bind(PLATFORM);
    private static final MethodHandle FUTEX = FUNCTIONS.futex();

    // Without the flag for private futexes, since waker and sleeper are different processes.
    private static final long OP_WAIT = 0;
    private static final long OP_WAKE = 1;

    private static final int OPEN_READ_WRITE = 2;
    private static final int OPEN_CLOSE_ON_EXEC = 0x80000;
    private static final int MAP_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x2 | 0x20 | 0x4000;
    private static final long MAP_FAILED = -1;
    private static final int RESERVE_TRIES = 16;
    private static final int SOCKET_LEVEL = 1;

    private NativeAccess() {}

    /**
     * Whether the calls of this class are available here.
     *
     * @return empty if so, else the reason as a part of a sentence; never throws
     */
    public static Optional<String> unavailabilityReason() {
        return Optional.ofNullable(FUNCTIONS.unavailable());
    }

    /**
     * Sleeps on a 4-byte word of memory that processes share, while it has a value. Allocates
     * nothing, also in interpreted code. To keep the error number would allocate, so a caller that
     * needs it calls {@link #futexWaitError}.
     *
     * @param address of the word in this process, a multiple of 4
     * @param expected value for which to sleep
     * @param timeoutNs longest sleep, more than 0
     * @param buffer of the calling thread
     * @return whether it was woken; false if the word differs, the time has passed, a signal came,
     *     or the call fails
     */
    public static boolean futexWait(long address, int expected, long timeoutNs, WaitBuffer buffer) {
        try {
            return (long)
                            FUTEX.invokeExact(
                                    PLATFORM.futexCall(),
                                    address,
                                    OP_WAIT,
                                    (long) expected,
                                    buffer.timespec(timeoutNs),
                                    0L,
                                    0L)
                    == 0;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * Finds out why a sleep on a word fails: sleeps again for a nanosecond, and keeps the error
     * number. Allocates a few dozen bytes.
     *
     * @param address of the word in this process, a multiple of 4
     * @param expected value for which to sleep
     * @param buffer of the calling thread
     * @return {@link Errno#ETIMEDOUT} or 0 if the call itself works, {@link Errno#EAGAIN} if the
     *     word differs, {@link Errno#EINTR}, or a failure
     */
    public static int futexWaitError(long address, int expected, WaitBuffer buffer) {
        long result;
        try {
            result =
                    (long)
                            FUNCTIONS
                                    .futexWaitError()
                                    .invokeExact(
                                            buffer.callState(),
                                            PLATFORM.futexCall(),
                                            address,
                                            OP_WAIT,
                                            (long) expected,
                                            buffer.timespec(1),
                                            0L,
                                            0L);
        } catch (Throwable e) {
            throw unexpected(e);
        }
        return result == 0 ? 0 : buffer.errno();
    }

    /**
     * Wakes all threads that sleep on a word; no error if there are none.
     *
     * @param address of the word in this process, a multiple of 4
     * @return how many threads were woken; below 0 if the address is not mapped
     */
    public static int futexWakeAll(long address) {
        try {
            return (int)
                    (long)
                            FUTEX.invokeExact(
                                    PLATFORM.futexCall(),
                                    address,
                                    OP_WAKE,
                                    (long) Integer.MAX_VALUE,
                                    MemorySegment.NULL,
                                    0L,
                                    0L);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * Gives a file its full size with all of its blocks, so that an access to its mapping cannot
     * find a full file system.
     *
     * @param file that exists and may be written; a symbolic link is refused
     * @param sizeBytes to reserve from the start, more than 0
     * @return 0, or the error number, {@link Errno#ENOSPC} among others; the file may then have
     *     grown
     */
    public static int reserve(Path file, long sizeBytes) {
        int fd = openExisting(file);
        if (fd < 0) {
            return -fd;
        }
        try {
            return reserve(fd, sizeBytes);
        } catch (Throwable e) {
            throw unexpected(e);
        } finally {
            close(fd);
        }
    }

    /**
     * Opens a file for reading and writing; child processes do not inherit it.
     *
     * @param file that exists; a symbolic link is refused
     * @return a descriptor, or below 0 the negative error number
     */
    static int openExisting(Path file) {
        WaitBuffer buffer = new WaitBuffer();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path = arena.allocateFrom(file.toAbsolutePath().toString());
            int flags = OPEN_READ_WRITE | OPEN_CLOSE_ON_EXEC | PLATFORM.openNoFollow();
            int fd = (int) FUNCTIONS.open().invokeExact(buffer.callState(), path, flags);
            return fd < 0 ? -buffer.errno() : fd;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Closes a descriptor, which must not be used again. */
    static void close(int fd) {
        try {
            int _ = (int) FUNCTIONS.close().invokeExact(fd);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Calls {@code fcntl} with a pointer; returns 0 or the error number. */
    static int control(int fd, int command, MemorySegment argument) {
        WaitBuffer buffer = new WaitBuffer();
        try {
            int result =
                    (int)
                            FUNCTIONS
                                    .control()
                                    .invokeExact(buffer.callState(), fd, command, argument);
            return result < 0 ? buffer.errno() : 0;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    // Signals of the JVM itself may interrupt a long reservation, which then undoes itself.
    private static int reserve(int fd, long sizeBytes) throws Throwable {
        int result = Errno.EINTR;
        for (int i = 0; i < RESERVE_TRIES && result == Errno.EINTR; i++) {
            result = (int) FUNCTIONS.reserve().invokeExact(fd, 0L, sizeBytes);
        }
        return result;
    }

    /** The user as whom this process makes and opens files. */
    public static int effectiveUserId() {
        try {
            return (int) FUNCTIONS.userId().invokeExact();
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * An option of a socket, at the level of sockets.
     *
     * @param fd any number
     * @param option which
     * @param value takes the value
     * @param length 4 bytes: the size of the value, and after the call the number of written bytes
     * @return whether the number is a socket with this option
     */
    static boolean socketOption(int fd, int option, MemorySegment value, MemorySegment length) {
        try {
            return (int)
                            FUNCTIONS
                                    .socketOption()
                                    .invokeExact(fd, SOCKET_LEVEL, option, value, length)
                    == 0;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Anonymous memory of this process; the close of its arena frees it. */
    @SuppressWarnings("restricted")
    static MemorySegment mapPrivate(long sizeBytes, Arena arena) {
        long address;
        WaitBuffer buffer = new WaitBuffer();
        try {
            address =
                    (long)
                            FUNCTIONS
                                    .map()
                                    .invokeExact(
                                            buffer.callState(),
                                            0L,
                                            sizeBytes,
                                            MAP_READ_WRITE,
                                            MAP_PRIVATE_ANONYMOUS_NORESERVE,
                                            -1,
                                            0L);
        } catch (Throwable e) {
            throw unexpected(e);
        }
        if (address == MAP_FAILED) {
            throw new OutOfMemoryError(
                    sizeBytes + " bytes of private memory: " + Errno.describe(buffer.errno()));
        }
        MemorySegment start = MemorySegment.ofAddress(address);
        return start.reinterpret(sizeBytes, arena, mapped -> unmap(address, sizeBytes));
    }

    private static void unmap(long address, long sizeBytes) {
        try {
            int _ = (int) FUNCTIONS.unmap().invokeExact(address, sizeBytes);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static RuntimeException unexpected(Throwable e) {
        if (e instanceof RuntimeException runtime) {
            return runtime;
        }
        if (e instanceof Error error) {
            throw error;
        }
        return new IllegalStateException(e);
    }
}
