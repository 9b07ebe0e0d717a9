package org.jbmi.zoid.common;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.link.AttachRequest;
import org.jbmi.zbmi.link.PeerAttachment;
import org.jbmi.zbmi.link.RuntimeDirectory;
import org.jbmi.zbmi.protocol.PeerRole;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Attaches to the daemon of a runtime directory, waiting for one that is not there yet. */
public final class Attacher implements Attachments {
    private static final long FIRST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LONGEST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long HANDSHAKE_NS = TimeUnit.SECONDS.toNanos(5);

    private final RuntimeDirectory directory;
    private final PeerRole role;
    private final String transport;
    private final Seams seams;

    /** One for each half; see {@link AttachRequest}. */
    public Attacher(RuntimeDirectory directory, PeerRole role, String transport, Seams seams) {
        this.directory = directory;
        this.role = role;
        this.transport = transport;
        this.seams = seams;
    }

    @Override
    public PeerAttachment attach(long waitNs, BooleanSupplier isOver) {
        directory.checkLength();
        long end = seams.clock().nanoTime() + waitNs;
        long pauseNs = FIRST_PAUSE_NS;
        while (true) {
            try {
                directory.check();
                return PeerAttachment.connect(request());
            } catch (BmiException e) {
                long leftNs = end - seams.clock().nanoTime();
                if (e.code() != ErrorCode.ENETDOWN) {
                    throw e;
                }
                if (leftNs <= 0
                        || isOver.getAsBoolean()
                        || Thread.currentThread().isInterrupted()) {
                    throw noDaemon(waitNs, e);
                }
                LockSupport.parkNanos(Math.min(leftNs, pauseNs));
                pauseNs = Math.min(2 * pauseNs, LONGEST_PAUSE_NS);
            }
        }
    }

    private AttachRequest request() {
        return new AttachRequest(
                directory.socket(),
                role,
                transport,
                HANDSHAKE_NS,
                seams.waiting(),
                seams.clock(),
                seams.liveness());
    }

    private BmiException noDaemon(long waitNs, BmiException cause) {
        return new BmiException(
                ErrorCode.ENETDOWN,
                "There is no zoid daemon in %s (waited %d ms): start one with \"bin/zbmi serve\", or set %s."
                        .formatted(
                                directory.path(),
                                TimeUnit.NANOSECONDS.toMillis(waitNs),
                                RuntimeDirectory.KNOB.name()),
                cause);
    }
}
