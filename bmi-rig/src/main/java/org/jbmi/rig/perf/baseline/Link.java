package org.jbmi.rig.perf.baseline;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * A connection of a baseline. Messages are as long as the buffers that they are sent from and
 * received into; both sides know the length. One thread uses it.
 */
public interface Link extends AutoCloseable {
    /**
     * Sends a message, waiting for room as long as it takes.
     *
     * @param message its bytes, native memory
     * @throws IOException if the other side is gone, or {@link #close} was called meanwhile
     */
    void send(MemorySegment message) throws IOException;

    /**
     * Receives a message if one has begun to arrive.
     *
     * @param message takes its bytes, native memory
     * @param mayWait whether the call may sleep until one comes, for a second at most
     * @return whether one was received
     * @throws IOException if the other side is gone
     */
    boolean receive(MemorySegment message, boolean mayWait) throws IOException;

    /**
     * Where the asking side finds this one.
     *
     * @return a port of the loopback interface, 0 if it is found by the directory
     */
    default int port() {
        return 0;
    }

    @Override
    void close() throws IOException;
}
