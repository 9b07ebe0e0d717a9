package org.jbmi.zbmi.channel;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.observe.Counter;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.handshake.Welcome;

import java.lang.foreign.MemorySegment;

/** A server's session with its engine, in whatever process that runs. */
public interface ServerAttachment extends AutoCloseable {
    /**
     * What a server sees of the host and of the segment.
     *
     * @param welcome the host's welcome
     * @param map where everything lies in the segment
     * @param segment the whole segment, mapped until the line is closed
     * @param memory access to it for control words and payload; gone when the line is closed
     */
    record View(Welcome welcome, SegmentMap map, MemorySegment segment, SharedMemory memory) {}

    /**
     * What this server sees.
     *
     * @return constant
     */
    View view();

    /**
     * Opens the door to the engine, once; closing its line closes all of this.
     *
     * @param events gets the engine's events
     * @return an open door
     */
    EngineDoor open(DoorEvents events);

    /**
     * Whether a keeper in this process serves the line when no caller does, so that a caller may
     * sleep elsewhere.
     *
     * @return constant
     */
    boolean isKept();

    /**
     * Sets counters for the engine's work in this process, if it runs here. Once, before {@link
     * #open}.
     *
     * @param copies messages that the engine copies
     * @param futexCalls system calls of sleeps and wakes
     */
    default void countIn(Counter copies, Counter futexCalls) {}

    /** Ends the session, but leaves the memory mapped: threads may still be in it. */
    void hangUp();

    /**
     * Releases everything, for a server that could not be put to use. Once its door is used, the
     * close of the door does that instead.
     */
    @Override
    void close();
}
