package org.jbmi.zoidfs.server.os;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/** The handles that a file system gives to its files, and the opening by them. Not thread-safe. */
public final class HandleCalls {
    private static final int HANDLE_BYTES = 128;

    /** How often to try to open a file while the kernel may be giving its number to a new file. */
    private static final int MAX_TRIES = 64;

    private static final long PAUSE_NS = 10_000;

    private final Libc libc;
    private final MemorySegment state;
    private final MemorySegment handle;
    private final MemorySegment mountId;
    private final MemorySegment empty;

    HandleCalls(Libc libc, MemorySegment state) {
        this.libc = libc;
        this.state = state;
        Arena arena = Arena.ofAuto();
        handle = arena.allocate(8 + HANDLE_BYTES, 8);
        mountId = arena.allocate(8, 8);
        empty = arena.allocate(1);
    }

    /**
     * The file system's own handle for an open file, which is valid after a restart too.
     *
     * @return the type in the first byte, then the bytes; null if there is none or it is longer
     */
    public byte @Nullable [] name(int file, int maximumBytes) {
        handle.set(JAVA_INT, 0, HANDLE_BYTES);
        handle.set(JAVA_INT, 4, 0);
        int result;
        try {
            result =
                    (int)
                            libc.nameToHandle.invokeExact(
                                    state, file, empty, handle, mountId, SystemCalls.AT_EMPTY_PATH);
        } catch (Throwable e) {
            throw Libc.unexpected(e);
        }
        int length = handle.get(JAVA_INT, 0);
        int type = handle.get(JAVA_INT, 4);
        if (result < 0 || length + 1 > maximumBytes || type < 0 || type > 255) {
            return null;
        }
        byte[] bytes = new byte[length + 1];
        bytes[0] = (byte) type;
        MemorySegment.copy(handle, JAVA_BYTE, 8, bytes, 1, length);
        return bytes;
    }

    /**
     * Opens the file of a {@link #name}, with O_PATH.
     *
     * <p>Linux returns ENOMEM not only if it lacks memory, but also for a removed file while it
     * makes a new one with the same number. So this method tries again after ENOMEM; it gets ESTALE
     * soon.
     *
     * @return a descriptor, or a negative error number
     */
    public int open(int anyFileOfTheFileSystem, byte[] name) {
        int result = openOnce(anyFileOfTheFileSystem, name);
        for (int i = 1; i < MAX_TRIES && result == -Errno.ENOMEM; i++) {
            LockSupport.parkNanos(PAUSE_NS);
            result = openOnce(anyFileOfTheFileSystem, name);
        }
        return result;
    }

    private int openOnce(int anyFileOfTheFileSystem, byte[] name) {
        handle.set(JAVA_INT, 0, name.length - 1);
        handle.set(JAVA_INT, 4, name[0] & 0xff);
        MemorySegment.copy(name, 1, handle, JAVA_BYTE, 8, name.length - 1);
        try {
            int result =
                    (int)
                            libc.openByHandle.invokeExact(
                                    state,
                                    anyFileOfTheFileSystem,
                                    handle,
                                    SystemCalls.O_PATH | SystemCalls.O_CLOEXEC);
            return result >= 0 ? result : Libc.errno(state);
        } catch (Throwable e) {
            throw Libc.unexpected(e);
        }
    }
}
