package org.jbmi.zbmi.host;

import org.jbmi.zbmi.protocol.Redirect;
import org.jbmi.zbmi.protocol.Welcome;

/** The memory that a daemon lends to a server which hosts the engine itself, one at a time. */
interface Loans {
    /** Whether it is lent. */
    boolean isLent();

    /**
     * Makes a segment.
     *
     * @param template of the daemon's own welcome
     * @param generation of the server's session
     * @return what the server must know
     * @throws org.jbmi.BmiException if it does not fit
     */
    Welcome lend(WelcomeTemplate template, int generation);

    /** Where clients meet the server. */
    Redirect redirect();

    /** The server touches it no more: it goes. */
    void takeBack();
}
