package org.jbmi.zbmi.attach;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.Liveness;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.protocol.handshake.PeerRole;

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
 *     the attempt waits
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
