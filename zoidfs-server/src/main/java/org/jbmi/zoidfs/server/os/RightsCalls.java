package org.jbmi.zoidfs.server.os;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Changes the rights with which one thread accesses files; other threads of the process keep
 * theirs. Not thread-safe.
 */
public class RightsCalls {
    private static final int ROOT = 0;

    /** A number that no user has: it changes nothing. */
    private static final int NOBODY = -1;

    private final Libc libc;
    private final MemorySegment state;
    private final int setGroupsCall;

    RightsCalls(Libc libc, MemorySegment state, boolean arm) {
        this.libc = libc;
        this.state = state;
        this.setGroupsCall = arm ? 159 : 116;
    }

    /** The same calls for a subclass. */
    protected RightsCalls(RightsCalls other) {
        libc = other.libc;
        state = other.state;
        setGroupsCall = other.setGroupsCall;
    }

    /** Whether this process belongs to root, as far as its numbers say. */
    public static boolean isRoot() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(ROOT);
        } catch (IOException e) {
            return false;
        }
    }

    /** Takes the rights of a user and a group; false if the system did not give them. */
    public boolean accessAs(int uid, int gid) {
        try {
            // Both return the former number, also on failure: only a second call shows the present.
            libc.setfsgid.invoke(state, gid);
            libc.setfsuid.invoke(state, uid);
            return (int) libc.setfsgid.invoke(state, NOBODY) == gid
                    && (int) libc.setfsuid.invoke(state, NOBODY) == uid;
        } catch (Throwable e) {
            throw Libc.unexpected(e);
        }
    }

    /** Sets the further groups; false if that is not allowed. */
    public boolean setGroups(int[] groups) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment list = arena.allocateFrom(JAVA_INT, groups);
            long result =
                    (long)
                            libc.syscall.invokeExact(
                                    state,
                                    (long) setGroupsCall,
                                    (long) groups.length,
                                    list,
                                    MemorySegment.NULL,
                                    0L);
            return result >= 0;
        } catch (Throwable e) {
            throw Libc.unexpected(e);
        }
    }
}
