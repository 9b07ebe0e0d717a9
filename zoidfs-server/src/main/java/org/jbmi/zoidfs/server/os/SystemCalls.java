package org.jbmi.zoidfs.server.os;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * The system calls of one thread, with the memory that they need. A result below 0 is a negative
 * {@link Errno}. Names are Strings with one character for each byte; a name with a NUL gives
 * EINVAL. Not thread-safe. Tests have subclasses that fail as a disk may.
 */
public class SystemCalls {
    /** The folder of the process (AT_FDCWD); for absolute paths. */
    public static final int CURRENT_FOLDER = -100;

    /** The folder in which the system shows what descriptors refer to. */
    public static final String DESCRIPTORS = "/proc/self/fd";

    public static final int O_RDONLY = 0;
    public static final int O_WRONLY = 1;
    public static final int O_RDWR = 2;
    public static final int O_CREAT = 0x40;
    public static final int O_EXCL = 0x80;
    public static final int O_NONBLOCK = 0x800;
    public static final int O_CLOEXEC = 0x80000;
    public static final int O_PATH = 0x200000;
    public static final int AT_SYMLINK_NOFOLLOW = 0x100;
    public static final int AT_REMOVEDIR = 0x200;
    public static final int AT_EMPTY_PATH = 0x1000;

    /** How many segments one list call takes. */
    public static final int MAX_SEGMENTS = 64;

    private static final int OPENAT2 = 437;
    private static final long RESOLVE_NO_MAGICLINKS = 0x02;
    private static final long RESOLVE_IN_ROOT = 0x10;
    private static final int STATX_BASIC_AND_BIRTH = 0xfff;
    private static final int PATH_BYTES = 8_192;
    private static final int ENTRY_BYTES = 32_768;
    private static final int OPEN_TRIES = 1_000;
    private static final int SEEK_SET = 0;

    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private final Libc libc;
    private final boolean arm;
    private final RightsCalls rights;
    private final HandleCalls handles;
    private final AtOnceCalls atOnce;
    private final MemorySegment state;
    private final MemorySegment pathA;
    private final MemorySegment pathB;
    private final MemorySegment text;
    private final MemorySegment how;
    private final MemorySegment stat;
    private final MemorySegment times;
    private final MemorySegment entries;
    private final MemorySegment vector;
    private final MemorySegment empty;

    private SystemCalls(Libc libc) {
        this.libc = libc;
        Arena arena = Arena.ofAuto();
        arm = System.getProperty("os.arch", "").equals("aarch64");
        state = arena.allocate(STATE);
        rights = new RightsCalls(libc, state, arm);
        handles = new HandleCalls(libc, state);
        atOnce = new AtOnceCalls(libc, state);
        pathA = arena.allocate(PATH_BYTES);
        pathB = arena.allocate(PATH_BYTES);
        text = arena.allocate(PATH_BYTES);
        how = arena.allocate(24, 8);
        stat = arena.allocate(256, 8);
        times = arena.allocate(32, 8);
        entries = arena.allocate(ENTRY_BYTES, 8);
        vector = arena.allocate(16L * MAX_SEGMENTS, 8);
        empty = arena.allocate(1);
    }

    /** The same calls for a subclass, with memory of its own. */
    protected SystemCalls(SystemCalls other) {
        this(other.libc);
    }

    /**
     * Binds the calls.
     *
     * @throws UnsupportedOperationException with a part of a sentence that says why it cannot
     */
    public static SystemCalls bind() {
        String system = System.getProperty("os.name", "");
        String machine = System.getProperty("os.arch", "");
        if (!system.equals("Linux") || !(machine.equals("amd64") || machine.equals("aarch64"))) {
            throw new UnsupportedOperationException(
                    "a zoidfs server needs Linux on x86-64 or AArch64, not " + system);
        }
        try {
            return new SystemCalls(new Libc());
        } catch (IllegalCallerException | LinkageError e) {
            throw new UnsupportedOperationException(
                    "the C library cannot be called; run with --enable-native-access=ALL-UNNAMED",
                    e);
        }
    }

    /** The same calls for another thread. */
    public SystemCalls forOtherThread() {
        return new SystemCalls(libc);
    }

    /** O_DIRECTORY and O_NOFOLLOW have other numbers on AArch64. */
    public int directoryFlag() {
        return arm ? 0x4000 : 0x10000;
    }

    /** See {@link #directoryFlag}. */
    public int noFollowFlag() {
        return arm ? 0x8000 : 0x20000;
    }

    /** The calls that change the rights of this thread. */
    public RightsCalls rights() {
        return rights;
    }

    /** The calls for handles of the file system. */
    public HandleCalls handles() {
        return handles;
    }

    /** Makes a new watch for moves. */
    public MoveWatch moveWatch() {
        return new MoveWatch(libc, state);
    }

    /** Calls that wait for no disk. */
    public AtOnceCalls atOnce() {
        return atOnce;
    }

    private int errno() {
        return Libc.errno(state);
    }

    /** Copies a name; null if it holds a NUL or is too long. */
    private @Nullable MemorySegment name(String name, MemorySegment into) {
        if (name.length() >= PATH_BYTES || name.indexOf('\0') >= 0) {
            return null;
        }
        into.setString(0, name, StandardCharsets.ISO_8859_1);
        return into;
    }

    private int badName(String name) {
        return name.indexOf('\0') >= 0 ? -Errno.EINVAL : -Errno.ENAMETOOLONG;
    }

    /** A call of the C library; its result is below 0 after an error. */
    private interface Native {
        long run() throws Throwable;
    }

    /** The close, and the calls that move data, do without this: a lambda would be an object. */
    private int result(Native call) {
        try {
            long result = call.run();
            return result >= 0 ? (int) result : errno();
        } catch (Throwable e) {
            throw Libc.unexpected(e);
        }
    }

    /** A call of the C library with a name. */
    private interface Named {
        long run(MemorySegment name) throws Throwable;
    }

    private int named(String path, Named call) {
        MemorySegment name = name(path, pathA);
        return name == null ? badName(path) : result(() -> call.run(name));
    }

    /** A call of the C library with two names. */
    private interface TwiceNamed {
        long run(MemorySegment first, MemorySegment second) throws Throwable;
    }

    private int named(String first, String second, TwiceNamed call) {
        MemorySegment a = name(first, pathA);
        MemorySegment b = name(second, pathB);
        if (a == null || b == null) {
            return badName(a == null ? first : second);
        }
        return result(() -> call.run(a, b));
    }

    /**
     * Opens a path with a directory as its root: neither links nor ".." lead out of it, also while
     * another process renames folders.
     */
    public int openBeneath(int root, String path, int flags) {
        MemorySegment name = name(path, pathA);
        if (name == null) {
            return badName(path);
        }
        how.set(JAVA_LONG, 0, flags | O_CLOEXEC);
        how.set(JAVA_LONG, 8, 0);
        how.set(JAVA_LONG, 16, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
        try {
            for (int i = 0; ; i++) {
                long result =
                        (long)
                                libc.syscall.invokeExact(
                                        state, (long) OPENAT2, (long) root, name, how, 24L);
                // EAGAIN: a rename met the resolution of "..", which must be tried again.
                if (result >= 0 || i >= OPEN_TRIES || errno() != -Errno.EAGAIN) {
                    return result >= 0 ? (int) result : errno();
                }
            }
        } catch (Throwable e) {
            throw Libc.unexpected(e);
        }
    }

    /** openat; for one name that is not "..", or an absolute path. */
    public int open(int directory, String path, int flags, int mode) {
        return named(
                path,
                name ->
                        (int)
                                libc.openat.invokeExact(
                                        state, directory, name, flags | O_CLOEXEC, mode));
    }

    /** Opens one name as a place, which may be a link. */
    public int openPlace(int directory, String name) {
        return open(directory, name, O_PATH | noFollowFlag(), 0);
    }

    /** close. */
    public void close(int file) {
        try {
            // The write or the sync before has reported the error of a close.
            libc.close.invoke(state, file);
        } catch (Throwable e) {
            throw Libc.unexpected(e);
        }
    }

    /** statx of a name without following it, or of the descriptor if the name is empty. */
    public int stat(int directory, String path, FileStat into) {
        MemorySegment name = path.isEmpty() ? empty : name(path, pathA);
        if (name == null) {
            return badName(path);
        }
        int flags = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH;
        int result =
                result(
                        () ->
                                (int)
                                        libc.statx.invokeExact(
                                                state,
                                                directory,
                                                name,
                                                flags,
                                                STATX_BASIC_AND_BIRTH,
                                                stat));
        if (result < 0) {
            return result;
        }
        into.load(stat);
        return 0;
    }

    /** mkdirat. */
    public int makeDirectory(int directory, String path, int mode) {
        return named(path, name -> (int) libc.mkdirat.invokeExact(state, directory, name, mode));
    }

    /** unlinkat; flags 0 or AT_REMOVEDIR. */
    public int unlink(int directory, String path, int flags) {
        return named(path, name -> (int) libc.unlinkat.invokeExact(state, directory, name, flags));
    }

    /** renameat. */
    public int rename(int fromDirectory, String from, int toDirectory, String to) {
        return named(
                from,
                to,
                (a, b) -> (int) libc.renameat.invokeExact(state, fromDirectory, a, toDirectory, b));
    }

    /** symlinkat. */
    public int symlink(String target, int directory, String path) {
        return named(
                target, path, (a, b) -> (int) libc.symlinkat.invokeExact(state, a, directory, b));
    }

    /** linkat, which does not follow a link. */
    public int link(int fromDirectory, String from, int toDirectory, String to) {
        return named(
                from,
                to,
                (a, b) ->
                        (int) libc.linkat.invokeExact(state, fromDirectory, a, toDirectory, b, 0));
    }

    /** readlinkat; the text is then in {@link #linkText}. */
    public int readLink(int directory, String path) {
        return named(
                path,
                name ->
                        (long)
                                libc.readlinkat.invokeExact(
                                        state, directory, name, text, (long) PATH_BYTES));
    }

    /** The text of the last {@link #readLink}, with the length that it returned. */
    public String linkText(int length) {
        byte[] bytes = new byte[length];
        MemorySegment.copy(text, JAVA_BYTE, 0, bytes, 0, length);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** fchmodat of a descriptor, through its link in {@link #DESCRIPTORS}. */
    public int changeMode(int file, int mode) {
        return named(
                descriptorPath(file),
                name -> (int) libc.fchmodat.invokeExact(state, CURRENT_FOLDER, name, mode, 0));
    }

    /** Where the system shows what a descriptor refers to. */
    public static String descriptorPath(int file) {
        return DESCRIPTORS + "/" + file;
    }

    /** fchownat of a descriptor; -1 leaves a number as it is. */
    public int changeOwner(int file, int uid, int gid) {
        int flags = AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW;
        return result(() -> (int) libc.fchownat.invokeExact(state, file, empty, uid, gid, flags));
    }

    /** utimensat of a descriptor; {@link #OMIT} as nanoseconds leaves a time as it is. */
    public int changeTimes(
            int file, long accessSeconds, long accessNanos, long writeSeconds, long writeNanos) {
        times.set(JAVA_LONG, 0, accessSeconds);
        times.set(JAVA_LONG, 8, accessNanos);
        times.set(JAVA_LONG, 16, writeSeconds);
        times.set(JAVA_LONG, 24, writeNanos);
        return result(
                () -> (int) libc.utimensat.invokeExact(state, file, empty, times, AT_EMPTY_PATH));
    }

    /** Leaves a time as it is. */
    public static final long OMIT = 0x3ffffffe;

    /** ftruncate. */
    public int truncate(int file, long sizeBytes) {
        return result(() -> (int) libc.ftruncate.invokeExact(state, file, sizeBytes));
    }

    /** fsync. */
    public int sync(int file) {
        return result(() -> (int) libc.fsync.invokeExact(state, file));
    }

    /** pread into native memory. */
    public long read(int file, MemorySegment into, long offset) {
        try {
            long result = (long) libc.pread.invokeExact(state, file, into, into.byteSize(), offset);
            return result >= 0 ? result : errno();
        } catch (Throwable e) {
            throw Libc.unexpected(e);
        }
    }

    /** pwrite from native memory. */
    public long write(int file, MemorySegment from, long offset) {
        try {
            long result =
                    (long) libc.pwrite.invokeExact(state, file, from, from.byteSize(), offset);
            return result >= 0 ? result : errno();
        } catch (Throwable e) {
            throw Libc.unexpected(e);
        }
    }

    /** preadv or pwritev of native memory, at most {@link #MAX_SEGMENTS} segments. */
    public long moveList(boolean writing, int file, MemorySegment[] list, int count, long offset) {
        Libc.fillVector(vector, list, count);
        try {
            long result =
                    writing
                            ? (long) libc.pwritev.invokeExact(state, file, vector, count, offset)
                            : (long) libc.preadv.invokeExact(state, file, vector, count, offset);
            return result >= 0 ? result : errno();
        } catch (Throwable e) {
            throw Libc.unexpected(e);
        }
    }

    /** lseek to an offset from the beginning. */
    public int seek(int file, long offset) {
        return result(
                () -> (long) libc.lseek.invokeExact(state, file, offset, SEEK_SET) >= 0 ? 0 : -1);
    }

    /** getdents64; the records are then in {@link #entryMemory}. */
    public int readEntries(int directory) {
        return result(
                () ->
                        (long)
                                libc.getdents.invokeExact(
                                        state, directory, entries, (long) ENTRY_BYTES));
    }

    /** The memory with the records of the last {@link #readEntries}. */
    public MemorySegment entryMemory() {
        return entries;
    }
}
