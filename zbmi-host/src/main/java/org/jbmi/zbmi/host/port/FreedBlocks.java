package org.jbmi.zbmi.host.port;

import org.jbmi.spi.VarHandles;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Blocks of unexpected messages that the server has freed and the engine does not know yet. The
 * next call of the server hands them over. So a free does not take the engine's lock. One thread
 * adds at a time, and one takes.
 *
 * <p>It is open while rounds follow each other quickly. The engine closes it, fences and empties it
 * before it rests. A thread that adds does not fence, so a block that it adds at that moment may
 * stay until the engine's next round. While there are clients, the keeper makes a round at least
 * every 0.1 s; a server that polls or posts makes one earlier.
 */
public final class FreedBlocks {
    /** A power of two. */
    private static final int ROOM = 256;

    private static final VarHandle ADDED = handle("added", int.class);
    private static final VarHandle TAKEN = handle("taken", int.class);
    private static final VarHandle OPEN = handle("open", boolean.class);

    private final long[] offsets = new long[ROOM];
    private int added; // through ADDED
    private int taken; // through TAKEN
    private boolean open; // through OPEN

    /** Makes one that is closed. */
    public FreedBlocks() {}

    private static VarHandle handle(String name, Class<?> type) {
        return VarHandles.of(MethodHandles.lookup(), FreedBlocks.class, name, type);
    }

    /**
     * Adds a block.
     *
     * @return false if it is closed or full, and nothing was done
     */
    public boolean add(long offset) {
        int at = added;
        if (!(boolean) OPEN.getOpaque(this) || at - (int) TAKEN.getAcquire(this) >= ROOM) {
            return false;
        }
        offsets[at & ROOM - 1] = offset;
        ADDED.setRelease(this, at + 1);
        return true;
    }

    /** Whether there is a block to {@link #take}. */
    public boolean hasAny() {
        return (int) ADDED.getAcquire(this) != taken;
    }

    /** Takes a block; there must be one. */
    public long take() {
        long offset = offsets[taken & ROOM - 1];
        TAKEN.setRelease(this, taken + 1);
        return offset;
    }

    /** From now on blocks may be added. With the engine's lock held. */
    public void open() {
        if (!open) {
            OPEN.setOpaque(this, true);
        }
    }

    /** From now on none is added, but for one that is being added. With the engine's lock held. */
    public void close() {
        if (open) {
            OPEN.setVolatile(this, false);
            VarHandle.fullFence();
        }
    }
}
