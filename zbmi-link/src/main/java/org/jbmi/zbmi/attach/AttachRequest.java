package org.jbmi.zbmi.attach;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.Liveness;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.protocol.handshake.PeerRole;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.Selector;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/**
 * How to reach the host of the engine, and the system services of the session.
 *
 * @param socket the host's Unix-domain socket
 * @param role the role to ask for
 * @param transport name of the command channel or link to ask for
 * @param timeoutNs longest time for connecting and the handshake together
 * @param waiting how to sleep and wake
 * @param clock for timeouts
 * @param liveness says when this process started
 * @param isOver whether the session is not wanted any more; asked every {@value #SLICE_MS} ms while
 *     the attempt waits, unless it is {@link #NEVER}
 */
public record AttachRequest(
        Path socket,
        PeerRole role,
        String transport,
        long timeoutNs,
        Waiting waiting,
        NanoClock clock,
        Liveness liveness,
        BooleanSupplier isOver) {
    /** How long an attempt waits between two checks whether it is still wanted. */
    public static final long SLICE_MS = 50;

    /** The session stays wanted until the timeout. */
    public static final BooleanSupplier NEVER = () -> false;

    /** A request that stays wanted until its timeout. */
    public AttachRequest(
            Path socket,
            PeerRole role,
            String transport,
            long timeoutNs,
            Waiting waiting,
            NanoClock clock,
            Liveness liveness) {
        this(socket, role, transport, timeoutNs, waiting, clock, liveness, NEVER);
    }

    /**
     * Waits until a socket is ready, in slices.
     *
     * @param selector for this wait alone
     * @param channel non-blocking
     * @param operation one of those of {@link java.nio.channels.SelectionKey}
     * @param mostMs longest wait, above 0
     * @param isOver asked after each slice
     * @throws BmiException with {@link ErrorCode#ECANCEL} if it is not wanted any more
     */
    public static void await(
            Selector selector,
            SelectableChannel channel,
            int operation,
            long mostMs,
            BooleanSupplier isOver)
            throws IOException {
        channel.register(selector, operation);
        long sliceMs = isOver.equals(NEVER) ? mostMs : SLICE_MS;
        int ready = 0;
        for (long leftMs = mostMs; ready == 0 && leftMs > 0; leftMs -= sliceMs) {
            ready = selector.select(Math.min(leftMs, sliceMs));
            endIf(isOver);
            if (Thread.currentThread().isInterrupted()) {
                return; // otherwise the loop would not sleep
            }
        }
    }

    /**
     * Ends an attempt that is not wanted any more.
     *
     * @throws BmiException with {@link ErrorCode#ECANCEL} if so
     */
    public static void endIf(BooleanSupplier isOver) {
        if (isOver.getAsBoolean()) {
            throw new BmiException(
                    ErrorCode.ECANCEL, "The instance was closed while it attached to its host.");
        }
    }
}
