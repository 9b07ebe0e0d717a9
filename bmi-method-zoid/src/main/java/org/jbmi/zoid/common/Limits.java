package org.jbmi.zoid.common;

import org.jbmi.config.Configuration;
import org.jbmi.spi.MethodLimits;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zoid.ZoidKnobs;

/** The size limits in force: the program's, or the host's where those are smaller. */
public final class Limits {
    private Limits() {}

    /** The limits of the knobs. */
    public static MethodLimits of(Configuration knobs) {
        return new MethodLimits(
                knobs.get(ZoidKnobs.MAX_EXPECTED_BYTES),
                knobs.get(ZoidKnobs.MAX_UNEXPECTED_BYTES),
                knobs.get(ZoidKnobs.EAGER_BYTES),
                knobs.get(ZoidKnobs.MAX_LIST_COUNT).intValue());
    }

    /** The smaller ones of the limits of the knobs and of the host. */
    public static MethodLimits of(Configuration knobs, SessionLimits host) {
        MethodLimits own = of(knobs);
        return new MethodLimits(
                Math.min(own.maxExpectedBytes(), host.maxExpectedBytes()),
                Math.min(own.maxUnexpectedBytes(), host.maxUnexpectedBytes()),
                Math.min(own.eagerBytes(), host.eagerBytes()),
                Math.min(own.maxListCount(), host.maxListEntries()));
    }
}
