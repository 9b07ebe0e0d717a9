package org.jbmi.mempool.os;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The memory with which one thread waits natively without allocation: for a time-out and for the
 * error number. Make one for each thread that waits, and keep it; two threads must not use it at
 * the same time. Its memory is freed with it.
 */
public final class WaitBuffer {
    private static final long NS_PER_S = 1_000_000_000L;
    private static final VarHandle ERRNO =
            Linker.Option.captureStateLayout()
                    .varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private final MemorySegment timespec;
    private final MemorySegment callState;

    /** Reserves the memory. */
    public WaitBuffer() {
        Arena arena = Arena.ofAuto();
        this.timespec = arena.allocate(2 * ValueLayout.JAVA_LONG.byteSize(), Long.BYTES);
        this.callState = arena.allocate(Linker.Option.captureStateLayout());
    }

    MemorySegment timespec(long durationNs) {
        timespec.set(ValueLayout.JAVA_LONG, 0, durationNs / NS_PER_S);
        timespec.set(ValueLayout.JAVA_LONG, Long.BYTES, durationNs % NS_PER_S);
        return timespec;
    }

    MemorySegment callState() {
        return callState;
    }

    int errno() {
        return (int) ERRNO.get(callState, 0L);
    }
}
