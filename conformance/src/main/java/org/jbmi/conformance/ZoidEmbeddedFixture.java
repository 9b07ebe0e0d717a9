package org.jbmi.conformance;

import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.Environment;
import org.jbmi.testsuite.EnvironmentSettings;

import java.util.Map;
import java.util.Set;

/** zoid with the engine in the server, without a daemon. */
public final class ZoidEmbeddedFixture extends ZoidFixture {
    /** For the service loader. */
    public ZoidEmbeddedFixture() {
        super("embedded", Map.of(), Map.of());
    }

    @Override
    public Set<Capability> capabilities() {
        Set<Capability> all = super.capabilities();
        all.remove(Capability.BROKER);
        all.remove(Capability.OUTLIVES_SERVER);
        return all;
    }

    @Override
    public Environment open(EnvironmentSettings settings) {
        return new EmbeddedEnvironment(settings);
    }
}
