package org.jbmi.zbmi.host;

import org.jbmi.BmiException;
import org.jbmi.zbmi.channel.CommandChannelProvider;
import org.jbmi.zbmi.link.ClientLinkProvider;

/** Opens the ports of sessions. */
interface SessionTransports {
    ClientLinkProvider link(String name);

    CommandChannelProvider channel(String name);

    /**
     * Whether servers may host the engine themselves.
     *
     * @throws BmiException with a text for the server if they may not
     */
    default void checkLoan() {}
}
