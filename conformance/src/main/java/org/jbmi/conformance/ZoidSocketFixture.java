package org.jbmi.conformance;

import org.jbmi.testsuite.Capability;

import java.util.Map;
import java.util.Set;

/** zoid with the engine in the daemon, and clients that reach it through the daemon's gateway. */
abstract class ZoidSocketFixture extends ZoidFixture {
    /** A configuration. */
    ZoidSocketFixture(String configuration, String address, Map<String, String> daemonKnobs) {
        super(
                configuration,
                Map.of(
                        "zoid.host",
                        "daemon",
                        "zoid.clientLink",
                        "socket",
                        "zoid.serverAddress",
                        address),
                daemonKnobs);
    }

    @Override
    public Set<Capability> capabilities() {
        Set<Capability> capabilities = super.capabilities();
        // A longer message needs a round trip before its bytes can move.
        capabilities.remove(Capability.IMMEDIATE);
        return capabilities;
    }
}
