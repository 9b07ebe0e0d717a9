package org.jbmi.zbmi.host;

import org.jbmi.BmiException;
import org.jbmi.zbmi.host.port.PortOpener;

/** Opens the ports of sessions. */
interface SessionTransports {
    PortOpener link(String name);

    PortOpener channel(String name);

    /**
     * Whether servers may host the engine themselves.
     *
     * @throws BmiException with a text for the server if they may not
     */
    default void checkLoan() {}
}
