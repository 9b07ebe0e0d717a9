package org.jbmi.mempool.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Private memory whose pages exist from their first use on. */
public final class LazyMemory {
    private static final long PAGE_BYTES = 4096;

    private LazyMemory() {}

    /**
     * Reserves zeroed memory that costs nothing until it is used.
     *
     * <p>If the command line does not enable native access for this module, it allocates in the
     * arena instead, which touches all pages. Private memory alone does not justify the warning
     * that the JVM would print, so this method does not use {@link NativeAccess} before it knows.
     *
     * @param sizeBytes of the memory, more than 0
     * @param arena that frees it; a shared one for use by several threads
     * @return the memory, aligned to 4096 bytes
     * @throws OutOfMemoryError if there is not enough address space
     */
    public static MemorySegment allocate(long sizeBytes, Arena arena) {
        boolean allowed = LazyMemory.class.getModule().isNativeAccessEnabled();
        if (!allowed || NativeAccess.unavailabilityReason().isPresent()) {
            return arena.allocate(sizeBytes, PAGE_BYTES);
        }
        return NativeAccess.mapPrivate(sizeBytes, arena);
    }
}
