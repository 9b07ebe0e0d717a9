package org.jbmi.zoid.guilty;

import org.jbmi.loopback.LoopbackProvider;

/** One method must not know another. */
public final class Sideways {

    /** What it must not make. */
    public final LoopbackProvider other = new LoopbackProvider();
}
