package org.jbmi.zoid.common;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;

import java.util.function.BooleanSupplier;

/** Opens a client's links. */
@FunctionalInterface
public interface ClientLinks {
    /**
     * Connects.
     *
     * @param waitNs how long to wait for a host that is not there
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if there is no host. With {@link
     *     ErrorCode#ECANCEL} if it is over while it waits. With {@link ErrorCode#EINTR} if the
     *     thread is interrupted while it would have to wait for its answer. Or with what the host
     *     refused with
     */
    ClientLink connect(long waitNs, BooleanSupplier isOver, PeerEvents events);
}
