package org.jbmi.zoid.client;

import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zoid.common.QuietChannel;

import java.lang.foreign.MemorySegment;

/** A link with room for everything, on which nothing comes by itself and nothing is eager. */
interface QuietLink extends ClientLink, QuietChannel {
    @Override
    default SessionLimits limits() {
        return new SessionLimits(1 << 20, 1000, 0, 16, 10);
    }

    @Override
    default int generation() {
        return 1;
    }

    @Override
    default boolean hasRoom() {
        return true;
    }

    @Override
    default int takeEagerSlot() {
        return ClientRequests.NOT_EAGER;
    }

    @Override
    default void putEager(
            int slot, int position, MemorySegment source, long sourceOffset, int lengthBytes) {
        throw new AssertionError("nothing here is eager");
    }

    @Override
    default long announceEager(int slot) {
        throw new AssertionError("nothing here is eager");
    }

    @Override
    default boolean withdrawEager(int slot, long sequence) {
        throw new AssertionError("nothing here is eager");
    }

    @Override
    default void releaseEagerSlot(int slot) {
        throw new AssertionError("nothing here is eager");
    }

    @Override
    default void hangUp() {}
}
