package org.jbmi.zbmi.host;

import org.jbmi.BmiException;
import org.jbmi.zbmi.channel.CommandChannelProvider;
import org.jbmi.zbmi.link.ClientLinkProvider;

/** Gets messages to peers, and peers' messages to the engine. */
interface SessionTransports {
    ClientLinkProvider link(String name);

    CommandChannelProvider channel(String name);

    /**
     * Whether servers may host the engine themselves.
     *
     * @throws BmiException with a sentence for the server if they may not
     */
    default void checkLoan() {}
}
