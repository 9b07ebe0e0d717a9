package org.jbmi.zbmi.host;

import org.jbmi.zbmi.protocol.handshake.Redirect;
import org.jbmi.zbmi.protocol.handshake.Welcome;

/** The segment that a daemon lends to a direct server; one at a time. */
interface Loans {
    /** Whether one is lent. */
    boolean isLent();

    /**
     * Makes a segment.
     *
     * @throws org.jbmi.BmiException if it does not fit
     */
    Welcome lend(WelcomeTemplate template, int generation);

    /** Where clients find the server. */
    Redirect redirect();

    /** The server has stopped using it: removes it. */
    void takeBack();
}
