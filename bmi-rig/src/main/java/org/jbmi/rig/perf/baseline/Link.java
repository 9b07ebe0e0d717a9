package org.jbmi.rig.perf.baseline;

import java.io.IOException;

/**
 * A connection of a baseline. A message is as long as the buffer that it is sent from or received
 * into; both sides know the length. For one thread.
 */
public interface Link extends AutoCloseable {
    /**
     * Sends a message; waits for room if necessary.
     *
     * @throws IOException if the other side has gone, or during {@link #close}
     */
    void send(Buffer message) throws IOException;

    /**
     * Receives a message if its first bytes have arrived.
     *
     * @param mayWait whether the call may sleep until one comes, for a second at most
     * @throws IOException if the other side is gone
     */
    boolean receive(Buffer message, boolean mayWait) throws IOException;

    /**
     * Sends a part of a message without waiting; only links of a {@link Baseline#isDuplex} baseline
     * do.
     *
     * @param message its bytes from its position on, which moves
     * @return how many bytes were sent, perhaps 0
     * @throws IOException if the other side has gone, or during {@link #close}
     */
    default int sendSome(Buffer message) throws IOException {
        throw new UnsupportedOperationException("One direction at a time.");
    }

    /**
     * Receives a part of a message without waiting; only links of a {@link Baseline#isDuplex}
     * baseline do.
     *
     * @param message takes bytes from its position on, which moves
     * @return how many bytes were received, perhaps 0
     * @throws IOException if the other side is gone
     */
    default int receiveSome(Buffer message) throws IOException {
        throw new UnsupportedOperationException("One direction at a time.");
    }

    /**
     * Waits, as the wait mode says, until there may be something to receive, or room to send; only
     * links of a {@link Baseline#isDuplex} baseline do.
     *
     * @throws IOException during {@link #close}
     */
    default void awaitEither(boolean sends) throws IOException {
        throw new UnsupportedOperationException("One direction at a time.");
    }

    /**
     * {@return the port of the loopback interface that the asking side connects to; 0 if the
     * directory is enough}
     */
    default int port() {
        return 0;
    }

    @Override
    void close() throws IOException;
}
