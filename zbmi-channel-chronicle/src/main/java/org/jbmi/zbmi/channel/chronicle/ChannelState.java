package org.jbmi.zbmi.channel.chronicle;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.protocol.SessionArea;

/**
 * What a channel has in the segment, where other channels have lanes:
 *
 * <pre>
 *   lane toward the daemon  0    count of commands sent  (8)  written by the server
 *   lane toward the peer    0    count of events sent    (8)  written by the engine
 *                           128  state                   (4)  0: opening, 1: open, 2: failed
 * </pre>
 *
 * <p>The counts of what was read are where those of lanes are.
 *
 * @param memory of the segment
 * @param area of the server
 */
record ChannelState(SharedMemory memory, SessionArea area) {
    private static final int STATE = 128;

    /** The daemon is at it. */
    static final int OPENING = 0;

    private static final int OPEN = 1;
    private static final int FAILED = 2;

    static ChronicleDirection commands(
            ChannelFolder folder, SharedMemory memory, SessionArea area) {
        return new ChronicleDirection(
                folder.commands(),
                memory,
                area.towardDaemonOffset(),
                area.consumedByEngineOffset());
    }

    static ChronicleDirection events(ChannelFolder folder, SharedMemory memory, SessionArea area) {
        return new ChronicleDirection(
                folder.events(), memory, area.towardPeerOffset(), area.consumedByPeerOffset());
    }

    /** The engine's side: it is ready, or will never be. */
    void opened(boolean isOpen) {
        memory.setIntRelease(area.towardPeerOffset() + STATE, isOpen ? OPEN : FAILED);
    }

    /** Whether the engine's side has said one or the other. */
    boolean isDecided() {
        return memory.getIntAcquire(area.towardPeerOffset() + STATE) != OPENING;
    }

    /** Whether the engine's side is ready. */
    boolean isOpen() {
        return memory.getIntAcquire(area.towardPeerOffset() + STATE) == OPEN;
    }
}
