package org.jbmi.zoid.common;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.attach.PeerAttachment;

import java.util.function.BooleanSupplier;

/** Makes sessions: {@link Attacher}, or a simulation. */
@FunctionalInterface
public interface Attachments {
    /**
     * Attaches.
     *
     * @param waitNs how long to wait for a host that is not there
     * @param isOver whether to stop waiting
     * @return the session
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if there is no host, {@link
     *     ErrorCode#ECANCEL} if it is over while it waits, {@link ErrorCode#EINTR} if the thread is
     *     interrupted while it would have to wait for its answer, or what the host refused with
     */
    PeerAttachment attach(long waitNs, BooleanSupplier isOver);
}
