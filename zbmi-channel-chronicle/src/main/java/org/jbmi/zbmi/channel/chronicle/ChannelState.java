package org.jbmi.zbmi.channel.chronicle;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.protocol.SessionArea;

/**
 * What a channel has in the segment, where other channels have lanes:
 *
 * <pre>
 *   lane toward the engine  0    count of commands sent  (8)  written by the server
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

    private static final int OPENING = 0;
    private static final int OPEN = 1;
    private static final int FAILED = 2;

    static ChronicleDirection commands(
            QueueSettings settings, ChannelFolder folder, SharedMemory memory, SessionArea area) {
        return new ChronicleDirection(
                settings,
                folder.commands(),
                memory,
                area.towardEngineOffset(),
                area.consumedByEngineOffset());
    }

    static ChronicleDirection events(
            QueueSettings settings, ChannelFolder folder, SharedMemory memory, SessionArea area) {
        return new ChronicleDirection(
                settings,
                folder.events(),
                memory,
                area.towardPeerOffset(),
                area.consumedByPeerOffset());
    }

    private long offset() {
        return area.towardPeerOffset() + STATE;
    }

    /** The engine's side: it is ready, or will never be. */
    void opened(boolean isOpen, Waiting waiting) {
        memory.setIntRelease(offset(), isOpen ? OPEN : FAILED);
        waiting.wakeAll(memory, offset());
    }

    /** The server's side: sleeps until the engine's side has said one or the other. */
    void await(Waiting waiting, long timeoutNs) {
        waiting.await(memory, offset(), OPENING, timeoutNs);
    }

    /** Whether the engine's side has said one or the other. */
    boolean isDecided() {
        return memory.getIntAcquire(offset()) != OPENING;
    }

    /** Whether the engine's side is ready. */
    boolean isOpen() {
        return memory.getIntAcquire(offset()) == OPEN;
    }
}
