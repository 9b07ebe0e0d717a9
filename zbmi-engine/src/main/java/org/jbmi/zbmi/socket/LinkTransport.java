package org.jbmi.zbmi.socket;

import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.SelectableChannel;
import java.util.function.BooleanSupplier;

/**
 * The stream under a client's link, which never blocks, and the sleep on it: {@link
 * SocketTransport}, or in tests a stream in memory.
 */
public interface LinkTransport extends GatheringByteChannel, ScatteringByteChannel {
    /**
     * Sleeps until there is something to read, or room to write if that is wanted, or this thread
     * is woken, or the time has passed; may return early for no reason. Any number of threads.
     *
     * @param timeoutNs longest sleep
     * @param isOver looked at once more when a {@link #wake} would find this thread
     */
    void await(long timeoutNs, BooleanSupplier isOver);

    /**
     * Whether there is something that could not be written. A thread that sleeps already hears of
     * it.
     */
    void wantsRoom(boolean wants);

    /**
     * Ends the sleep of a thread, which must find out from what {@code isOver} says.
     *
     * @param thread that may be about to sleep, or none of those that do
     */
    void wake(Thread thread);

    /** Ends the sleep of all threads. */
    void wakeAll();

    /** What others may select on. */
    SelectableChannel selectable();
}
