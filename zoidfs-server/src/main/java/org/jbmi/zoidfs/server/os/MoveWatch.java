package org.jbmi.zoidfs.server.os;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Watches files and folders for moves, with inotify: the system reports a move before the system
 * call that makes it returns. Not thread-safe.
 */
public final class MoveWatch {
    /** The number of an event that stands for lost ones: anything may have moved. */
    public static final int ALL = -1;

    private static final int NO_WATCH = -1;
    private static final int NONBLOCK_CLOEXEC = 0x80800;
    private static final int ATTRIBUTES = 0x4;
    private static final int MOVED = 0x800;
    private static final int ONLY_FOLDER = 0x0100_0000;
    private static final int DO_NOT_FOLLOW = 0x0200_0000;
    private static final int BESIDE_OTHERS = 0x2000_0000;

    private static final int EVENT_BYTES = 16;
    private static final int LENGTH_AT = 12;
    private static final int BUFFER_BYTES = 4_096;
    private static final int MAX_READS = 16;

    private final Libc libc;
    private final MemorySegment state;
    private final MemorySegment events;
    private int watch = NO_WATCH;

    /** The highest number that the system has given; it gives each only once. */
    private int highest;

    private int count;

    /** Takes events. */
    public interface Listener {
        /** The file or folder with a number, or with {@link #ALL} any, may have moved. */
        void happened(int number);
    }

    MoveWatch(Libc libc, MemorySegment state) {
        this.libc = libc;
        this.state = state;
        this.events = Arena.ofAuto().allocate(BUFFER_BYTES, 8);
    }

    /**
     * Watches a folder for moves of the folder itself.
     *
     * @param path absolute, ended by a NUL; a link at its end is an error
     * @return its number, the same for the same folder, or a negative error number
     */
    public int addFolder(MemorySegment path) {
        return add(path, MOVED | ONLY_FOLDER | DO_NOT_FOLLOW | BESIDE_OTHERS);
    }

    /**
     * The same for the file of a descriptor; if it is not a folder, also for changes of its names.
     *
     * @param path where the system shows the descriptor, ended by a NUL
     */
    public int addOpen(MemorySegment path, boolean isFolder) {
        return add(path, (isFolder ? MOVED : MOVED | ATTRIBUTES) | BESIDE_OTHERS);
    }

    private int add(MemorySegment path, int mask) {
        try {
            if (watch == NO_WATCH) {
                int made = (int) libc.inotifyInit1.invokeExact(state, NONBLOCK_CLOEXEC);
                if (made < 0) {
                    return Libc.errno(state);
                }
                watch = made;
            }
            int number = (int) libc.inotifyAddWatch.invokeExact(state, watch, path, mask);
            if (number < 0) {
                return Libc.errno(state);
            }
            if (number > highest) {
                highest = number;
                count++;
            }
            return number;
        } catch (Throwable e) {
            throw Libc.unexpected(e);
        }
    }

    /** How many watches were added since the last {@link #close}. */
    public int count() {
        return count;
    }

    /** Reports all events until now; does not wait. */
    public void poll(Listener listener) {
        if (watch == NO_WATCH) {
            return;
        }
        for (int i = 0; i < MAX_READS; i++) {
            long filled;
            try {
                filled = (long) libc.read.invokeExact(state, watch, events, (long) BUFFER_BYTES);
            } catch (Throwable e) {
                throw Libc.unexpected(e);
            }
            if (filled < 0 && Libc.errno(state) == -Errno.EAGAIN) {
                return;
            }
            if (filled <= 0) {
                break;
            }
            for (long at = 0; at < filled; ) {
                listener.happened(events.get(JAVA_INT, at));
                at += EVENT_BYTES + events.get(JAVA_INT, at + LENGTH_AT);
            }
        }
        // There are more events than are read in one poll, or they cannot be read.
        listener.happened(ALL);
    }

    /** Ends all watches. The object may be used again. */
    public void close() {
        if (watch != NO_WATCH) {
            try {
                libc.close.invoke(state, watch);
            } catch (Throwable e) {
                throw Libc.unexpected(e);
            }
            watch = NO_WATCH;
            highest = 0;
            count = 0;
        }
    }
}
