package org.jbmi.zoidfs.server.os;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/** System calls that do not wait for a disk. Not thread-safe. */
public final class AtOnceCalls {
    private static final int READ_NO_WAIT = 8;

    private static final int NAME_BYTES = 16;
    private static final int TEXT_BYTES = 8_192;
    private static final int DESCRIPTOR_BYTES = 64;
    private static final int DECIMAL = 10;

    private static final int FILE_SYSTEM_BYTES = 256;
    private static final int FLAGS_AT = 80;
    private static final long NOATIME = 0x400;
    private static final long RELATIME = 0x1000;

    private static final long EXT = 0xef53;
    private static final long XFS = 0x58465342;
    private static final long BTRFS = 0x9123683eL;
    private static final long F2FS = 0xf2f52010L;
    private static final long TMPFS = 0x01021994;

    private final Libc libc;
    private final MemorySegment state;
    private final MemorySegment name;
    private final MemorySegment root;
    private final MemorySegment place;
    private final MemorySegment text;
    private final MemorySegment fileSystem;
    private final MemorySegment vector;

    /** The length of the text in {@link #root}; 0 or less if there is none. */
    private long rootBytes;

    /** The length of the text in {@link #place}. */
    private long placeBytes;

    AtOnceCalls(Libc libc, MemorySegment state) {
        this.libc = libc;
        this.state = state;
        Arena arena = Arena.ofAuto();
        name = arena.allocate(NAME_BYTES);
        root = arena.allocate(TEXT_BYTES);
        place = arena.allocate(TEXT_BYTES);
        text = arena.allocate(TEXT_BYTES + DESCRIPTOR_BYTES);
        fileSystem = arena.allocate(FILE_SYSTEM_BYTES, 8);
        vector = arena.allocate(16L * SystemCalls.MAX_SEGMENTS, 8);
    }

    /** The kind of a file's file system. */
    public FileSystemKind kind(int file) {
        try {
            if ((int) libc.fstatfs.invokeExact(state, file, fileSystem) < 0) {
                return FileSystemKind.REMOTE_OR_UNKNOWN;
            }
        } catch (Throwable e) {
            throw Libc.unexpected(e);
        }
        long type = fileSystem.get(JAVA_LONG, 0) & 0xffffffffL;
        if (type != EXT && type != XFS && type != BTRFS && type != F2FS && type != TMPFS) {
            return FileSystemKind.REMOTE_OR_UNKNOWN;
        }
        long flags = fileSystem.get(JAVA_LONG, FLAGS_AT);
        if ((flags & NOATIME) != 0) {
            return FileSystemKind.LOCAL_NOATIME;
        }
        return (flags & RELATIME) != 0
                ? FileSystemKind.LOCAL_RELATIME
                : FileSystemKind.LOCAL_STRICTATIME;
    }

    /**
     * Whether the path that the system shows for a file begins with the one that it shows for a
     * folder.
     *
     * @param descriptors a descriptor of the folder {@code /proc/self/fd}
     */
    public boolean isBeneath(int descriptors, int folder, int file) {
        forgetFolder();
        return isBeneathShown(descriptors, folder, file);
    }

    /** Forgets the path of the folder, so that the next check asks for it again. */
    public void forgetFolder() {
        rootBytes = 0;
    }

    /** The same, but asks for the path of the folder only once after each {@link #forgetFolder}. */
    public boolean isBeneathShown(int descriptors, int folder, int file) {
        if (rootBytes <= 0) {
            rootBytes = shownPath(descriptors, folder, root);
        }
        long base = rootBytes;
        long length = base <= 0 ? 0 : shownPath(descriptors, file, place);
        placeBytes = length;
        if (length < base || length <= 0 || length == TEXT_BYTES) {
            return false;
        }
        if (MemorySegment.mismatch(root, 0, base, place, 0, base) >= 0) {
            return false;
        }
        return length == base || base == 1 || place.get(JAVA_BYTE, base) == '/';
    }

    /**
     * Watches the folders between the two files of the last {@link #isBeneathShown}, from the upper
     * one down, and then the lower one. The system resolves their paths from the descriptor of the
     * upper one, so a move of the upper one does not matter.
     *
     * @return the number of the lower one, or a number below 0 if they cannot be watched
     */
    public int watchShown(MoveWatch watch, int folder, int file, boolean isFolder) {
        long first = rootBytes == 1 ? 0 : rootBytes;
        long begin = setText(SystemCalls.descriptorPath(folder));
        for (long at = first + 1; at < placeBytes; at++) {
            if (place.get(JAVA_BYTE, at) == '/') {
                MemorySegment.copy(place, first, text, begin, at - first);
                text.set(JAVA_BYTE, begin + at - first, (byte) 0);
                int number = watch.addFolder(text);
                if (number < 0) {
                    return number;
                }
            }
        }
        setText(SystemCalls.descriptorPath(file));
        return watch.addOpen(text, isFolder);
    }

    /** Sets a text, one byte for each character, and a NUL; returns its length without the NUL. */
    private long setText(String path) {
        text.setString(0, path, StandardCharsets.US_ASCII);
        return path.length();
    }

    /** Whether the system still shows the paths of the last {@link #isBeneathShown}. */
    public boolean isShownAsBefore(int descriptors, int folder, int file) {
        return shownPath(descriptors, folder, text) == rootBytes
                && MemorySegment.mismatch(root, 0, rootBytes, text, 0, rootBytes) < 0
                && shownPath(descriptors, file, text) == placeBytes
                && MemorySegment.mismatch(place, 0, placeBytes, text, 0, placeBytes) < 0;
    }

    private long shownPath(int descriptors, int file, MemorySegment into) {
        setName(file);
        try {
            return (long)
                    libc.readlinkat.invokeExact(state, descriptors, name, into, (long) TEXT_BYTES);
        } catch (Throwable e) {
            throw Libc.unexpected(e);
        }
    }

    /** Writes a number as text, and a NUL. */
    private void setName(int number) {
        int length = 1;
        for (int rest = number / DECIMAL; rest > 0; rest /= DECIMAL) {
            length++;
        }
        name.set(JAVA_BYTE, length, (byte) 0);
        int rest = number;
        for (int at = length - 1; at >= 0; at--) {
            name.set(JAVA_BYTE, at, (byte) ('0' + rest % DECIMAL));
            rest /= DECIMAL;
        }
    }

    /**
     * Reads cached bytes into at most {@link SystemCalls#MAX_SEGMENTS} segments.
     *
     * @return how many bytes; 0 at the end of the file; a negative number if the call would wait,
     *     or fails
     */
    public long read(int file, MemorySegment[] list, int count, long offset) {
        MethodHandle call = libc.preadv2;
        if (call == null) {
            return -Errno.EAGAIN;
        }
        Libc.fillVector(vector, list, count);
        return read(call, file, count, offset);
    }

    private long read(MethodHandle call, int file, int count, long offset) {
        try {
            long result = (long) call.invokeExact(state, file, vector, count, offset, READ_NO_WAIT);
            return result >= 0 ? result : Libc.errno(state);
        } catch (Throwable e) {
            throw Libc.unexpected(e);
        }
    }
}
