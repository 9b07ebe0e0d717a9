package org.jbmi.zbmi.channel;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.observe.Counter;
import org.jbmi.zbmi.link.PeerEvents;
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
     * @return mapped until the channel is closed
     */
    MemorySegment segment();

    /**
     * Access to it for control words and payload.
     *
     * @return gone when the channel is closed
     */
    SharedMemory memory();

    /**
     * Opens the command channel, once; closing it closes all of this.
     *
     * @param events for what comes by itself
     * @return an open channel
     */
    CommandChannel open(PeerEvents events);

    /**
     * Whether a thread of the host in this process looks after the channel when no caller does, so
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

    /** Lets go of everything, if no channel was opened. */
    @Override
    void close();
}
