package org.jbmi.zbmi.channel;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.observe.Counter;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.Welcome;

import java.lang.foreign.MemorySegment;

/** What a server has of its engine, in whatever process that runs. */
public interface ServerAttachment extends AutoCloseable {
    /**
     * What the host said at the start.
     *
     * @return constant
     */
    Welcome welcome();

    /**
     * Where everything lies in the segment.
     *
     * @return constant
     */
    SegmentMap map();

    /**
     * The whole segment.
     *
     * @return mapped until the line is closed
     */
    MemorySegment segment();

    /**
     * Access to it for control words and payload.
     *
     * @return gone when the line is closed
     */
    SharedMemory memory();

    /**
     * Opens the door to the engine, once; closing its line closes all of this.
     *
     * @param events what the engine says
     * @return an open door
     */
    EngineDoor open(DoorEvents events);

    /**
     * Whether a thread of the host in this process looks after the line when no caller does, so
     * that a caller may sleep anywhere.
     *
     * @return constant
     */
    boolean isKept();

    /**
     * Counts what is done for the server in its own process, if the engine runs there; nothing
     * otherwise. Once, before {@link #open}.
     *
     * @param copies messages that the engine copies
     * @param futexCalls system calls of sleeps and wakes
     */
    default void countIn(Counter copies, Counter futexCalls) {}

    /** Ends the session, but leaves the memory mapped: threads may still be in it. */
    void hangUp();

    /** Lets go of everything, if no door was opened. */
    @Override
    void close();
}
