package org.jbmi.architecture.guilty;

import org.jbmi.testsuite.support.FreePort;

/** Uses what is there for tests outside of tests. */
public final class FindsAFreePort {

    /** The port. */
    public final int port = FreePort.find();
}
