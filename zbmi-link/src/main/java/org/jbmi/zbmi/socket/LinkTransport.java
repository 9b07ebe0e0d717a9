package org.jbmi.zbmi.socket;

import java.io.Closeable;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.SelectableChannel;
import java.util.function.BooleanSupplier;

/**
 * The non-blocking stream under a client's link, and the sleep on it: {@link SocketTransport}, or
 * in tests a stream in memory.
 */
public interface LinkTransport extends Closeable {
    /** The bytes from the gateway. */
    ScatteringByteChannel in();

    /** The bytes to the gateway. */
    GatheringByteChannel out();

    /**
     * Sleeps until there is something to read, or room to write if that is wanted. Also ends when
     * this thread is woken, or the time has passed; may return early for no reason. Any number of
     * threads.
     *
     * @param isOver checked once more after this thread can be found by {@link #wake}
     */
    void await(long timeoutNs, BooleanSupplier isOver);

    /**
     * Sets whether there are bytes that could not be written. A sleeping thread notices the change.
     */
    void wantsRoom(boolean wants);

    /**
     * Ends the sleep of a thread, for which {@code isOver} must be true by then.
     *
     * @param thread that may sleep or be about to
     */
    void wake(Thread thread);

    /** Ends the sleep of all threads. */
    void wakeAll();

    /** The channel for selectors of other threads. */
    SelectableChannel selectable();
}
