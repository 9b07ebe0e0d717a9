package org.jbmi.zoid.common;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.protocol.handshake.PeerRole;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Attaches to the host of a runtime directory, and waits for a host that is not there yet. */
public final class Attacher {
    private static final long FIRST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LONGEST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long QUICK_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long HANDSHAKE_NS = TimeUnit.SECONDS.toNanos(5);

    private final RuntimeDirectory directory;
    private final PeerRole role;
    private final String transport;
    private final String gateway;
    private final Seams seams;

    /**
     * For one half; see {@link AttachRequest}.
     *
     * @param gateway the address of the gateway that a client goes through; empty: none
     */
    public Attacher(
            RuntimeDirectory directory,
            PeerRole role,
            String transport,
            String gateway,
            Seams seams) {
        this.directory = directory;
        this.role = role;
        this.transport = transport;
        this.gateway = gateway;
        this.seams = seams;
    }

    /**
     * Attaches to a host that listens now. On a busy machine its answer may take seconds.
     *
     * @param answerNs how long its answer may take; a second at least
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if there is no host, {@link
     *     ErrorCode#ETIMEDOUT} if it does not answer in time, or what it refused with
     */
    public <T> T attachIfThere(long answerNs, Function<AttachRequest, T> connect) {
        directory.check();
        return connect.apply(request(Math.max(QUICK_NS, answerNs), () -> false));
    }

    /**
     * Attaches with an attempt of the caller.
     *
     * @param waitNs how long to wait for a host that is not there, or has others to answer first
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if there is no host. With {@link
     *     ErrorCode#ECANCEL} if it is over while it waits. With {@link ErrorCode#EINTR} if the
     *     thread is interrupted while it would have to wait for its answer. Or with what the host
     *     refused with
     */
    public <T> T attach(long waitNs, BooleanSupplier isOver, Function<AttachRequest, T> connect) {
        long startNs = seams.clock().nanoTime();
        long end = startNs + waitNs;
        long pauseNs = FIRST_PAUSE_NS;
        while (true) {
            try {
                if (gateway.isEmpty()) {
                    directory.check();
                }
                return connect.apply(request(answerNs(waitNs, end), isOver));
            } catch (BmiException e) {
                long leftNs = end - seams.clock().nanoTime();
                if (e.code() != ErrorCode.ENETDOWN) {
                    throw e;
                }
                AttachRequest.endIf(isOver);
                if (leftNs <= 0 || Thread.currentThread().isInterrupted()) {
                    throw noHost(end - leftNs - startNs, e);
                }
                seams.parking().park(this, Math.min(leftNs, pauseNs));
                pauseNs = Math.min(2 * pauseNs, LONGEST_PAUSE_NS);
            }
        }
    }

    /**
     * How long an attach may take at most: an attempt may begin when its wait for a host is all but
     * over.
     *
     * @param waitNs how long it waits for a host that is not there
     */
    public static long mostNs(long waitNs) {
        return waitNs == 0 ? QUICK_NS : waitNs + HANDSHAKE_NS;
    }

    // The wait for a host includes the wait for its answer, when many clients come at once.
    private long answerNs(long waitNs, long end) {
        return waitNs == 0 ? QUICK_NS : Math.max(HANDSHAKE_NS, end - seams.clock().nanoTime());
    }

    private AttachRequest request(long timeoutNs, BooleanSupplier isOver) {
        return new AttachRequest(
                directory.socket(),
                role,
                transport,
                timeoutNs,
                seams.waiting(),
                seams.clock(),
                seams.liveness(),
                isOver);
    }

    private BmiException noHost(long waitedNs, BmiException cause) {
        if (!gateway.isEmpty()) {
            return new BmiException(
                    ErrorCode.ENETDOWN,
                    "%s Waited %d ms; is \"bin/zbmi serve\" running there, with a gateway?"
                            .formatted(cause.getMessage(), TimeUnit.NANOSECONDS.toMillis(waitedNs)),
                    cause);
        }
        String missing =
                role == PeerRole.SERVER
                        ? "There is no zoid daemon in %s (waited %d ms): start one with \"bin/zbmi"
                                + " serve\", or set %s."
                        : "There is neither a zoid server nor a daemon in %s (waited %d ms): start"
                                + " the server, or a daemon with \"bin/zbmi serve\", or set %s to"
                                + " its directory.";
        return new BmiException(
                ErrorCode.ENETDOWN,
                missing.formatted(
                                directory.path(),
                                TimeUnit.NANOSECONDS.toMillis(waitedNs),
                                RuntimeDirectory.KNOB.name())
                        + " The last attempt: "
                        + cause.getMessage(),
                cause);
    }
}
