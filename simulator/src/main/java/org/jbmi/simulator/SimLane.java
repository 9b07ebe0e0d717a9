package org.jbmi.simulator;

import org.jbmi.simulator.SimHosting.Segment;
import org.jbmi.zbmi.engine.EngineAudit;
import org.jbmi.zbmi.protocol.SessionArea;

/**
 * A session's part of a segment, with views of both lanes.
 *
 * @param segment where it is
 * @param area which part
 * @param generation the life of the session
 */
record SimLane(Segment segment, SessionArea area, int generation) {
    private static final int NEAR = 12;

    long life() {
        return segment.lifeOf(generation);
    }

    /** Whether the lane to the engine is nearly full, so that a sender may have to wait. */
    boolean isTight() {
        long read = segment.raw().getLongAcquire(area.consumedByEngineOffset());
        return isStamped(area.towardEngineOffset(), read + area.laneSlots() - NEAR);
    }

    /** Whether the lane has a message of the engine that the peer has not read. */
    boolean hasUnread() {
        long read = segment.raw().getLongAcquire(area.consumedByPeerOffset());
        return isStamped(area.towardPeerOffset(), read);
    }

    /** Whether the lane has a message of the peer that the engine has not read. */
    boolean hasUnreceived() {
        long read = segment.raw().getLongAcquire(area.consumedByEngineOffset());
        return isStamped(area.towardEngineOffset(), read);
    }

    /** Checks that the words of a client agree with the engine. */
    void checkWords(EngineAudit audit, boolean isQuiet) {
        audit.checkWords(
                area.session(),
                segment.raw().getLongVolatile(area.sendTagsOffset()),
                segment.raw().getIntVolatile(area.keepsOffset()),
                segment.raw().getLongVolatile(area.returnedOffset()));
        audit.checkDataSlots(
                area.session(),
                segment.raw().getLongVolatile(area.dataSlotsBackOffset()),
                isQuiet && !hasUnread());
    }

    private boolean isStamped(long lane, long sequence) {
        long at = lane + (sequence & (area.laneSlots() - 1)) * SessionArea.SLOT_BYTES;
        long stamp = segment.raw().getLongAcquire(at);
        return stamp == ((long) generation << 32 | ((sequence + 1) & 0xffff_ffffL));
    }
}
