package org.jbmi.zoid.common;

import org.jbmi.config.Configuration;
import org.jbmi.spi.MethodLimits;
import org.jbmi.zbmi.protocol.SessionLimits;
import org.jbmi.zoid.ZoidKnobs;

/** The sizes in force: the program's own, and the daemon's where those are smaller. */
public final class Limits {
    private Limits() {}

    /** What the knobs say. */
    public static MethodLimits of(Configuration knobs) {
        return new MethodLimits(
                knobs.get(ZoidKnobs.MAX_EXPECTED_BYTES),
                knobs.get(ZoidKnobs.MAX_UNEXPECTED_BYTES),
                knobs.get(ZoidKnobs.EAGER_BYTES),
                knobs.get(ZoidKnobs.MAX_LIST_COUNT).intValue());
    }

    /** What knobs and daemon allow. */
    public static MethodLimits of(Configuration knobs, SessionLimits daemon) {
        MethodLimits own = of(knobs);
        return new MethodLimits(
                Math.min(own.maxExpectedBytes(), daemon.maxExpectedBytes()),
                Math.min(own.maxUnexpectedBytes(), daemon.maxUnexpectedBytes()),
                Math.min(own.eagerBytes(), daemon.eagerBytes()),
                Math.min(own.maxListCount(), daemon.maxListEntries()));
    }
}
