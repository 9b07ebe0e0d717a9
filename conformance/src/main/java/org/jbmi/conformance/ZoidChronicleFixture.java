package org.jbmi.conformance;

import java.util.Map;

/** zoid with the engine in the daemon, and the server's commands in Chronicle Queues. */
public final class ZoidChronicleFixture extends ZoidFixture {
    /** For the service loader. */
    public ZoidChronicleFixture() {
        super(
                "daemon-chronicle",
                Map.of("zoid.host", "daemon", "zoid.commandChannel", "chronicle"),
                Map.of());
    }
}
