package org.jbmi.conformance;

import org.jbmi.testsuite.Capability;

import java.util.Map;
import java.util.Set;

/** zoid with the engine in the server, in memory that a daemon lends. */
public final class ZoidDirectFixture extends ZoidFixture {
    /** For the service loader. */
    public ZoidDirectFixture() {
        super("direct", Map.of("zoid.host", "direct"), Map.of());
    }

    @Override
    public Set<Capability> capabilities() {
        Set<Capability> all = super.capabilities();
        all.remove(Capability.OUTLIVES_SERVER);
        return all;
    }
}
