package org.jbmi.mempool.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Private memory of which a page exists only once it is touched. */
public final class LazyMemory {
    private static final long PAGE_BYTES = 4096;

    private LazyMemory() {}

    /**
     * Reserves zeros that cost nothing until they are touched.
     *
     * <p>Where this module has not been allowed native access on the command line, it is the
     * arena's own memory instead, which is touched at once: private memory alone is no reason for
     * the warning that the virtual machine would print. So {@link NativeAccess} is not looked at
     * before that is known.
     *
     * @param sizeBytes of the memory, more than 0
     * @param arena that holds it and gives it back; a shared one for use by several threads
     * @return the memory, aligned to 4096 bytes
     * @throws OutOfMemoryError if there is not so much address space
     */
    public static MemorySegment allocate(long sizeBytes, Arena arena) {
        boolean allowed = LazyMemory.class.getModule().isNativeAccessEnabled();
        if (!allowed || NativeAccess.unavailabilityReason().isPresent()) {
            return arena.allocate(sizeBytes, PAGE_BYTES);
        }
        return NativeAccess.mapPrivate(sizeBytes, arena);
    }
}
