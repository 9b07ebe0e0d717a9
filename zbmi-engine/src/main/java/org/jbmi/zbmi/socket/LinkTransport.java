package org.jbmi.zbmi.socket;

import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.SelectableChannel;

/**
 * The stream under a client's link, which never blocks, and the sleep on it. A seam: {@link
 * SocketTransport} in production; a simulated schedule may decide itself what moves when.
 */
public interface LinkTransport extends GatheringByteChannel, ScatteringByteChannel {
    /**
     * Sleeps until there is something to read, or room to write, or {@link #wake} is called, or the
     * time has passed; may return early for no reason. Any number of threads.
     *
     * @param wantsRoom whether room is waited for
     * @param timeoutNs longest sleep
     */
    void await(boolean wantsRoom, long timeoutNs);

    /** Ends the sleep of all threads, or the next one. */
    void wake();

    /** What others may select on. */
    SelectableChannel selectable();
}
