package org.jbmi.conformance;

import java.util.Map;

/** zoid with the engine in the daemon; clients and server use shared memory. */
public final class ZoidDaemonFixture extends ZoidFixture {
    /** For the service loader. */
    public ZoidDaemonFixture() {
        super("daemon", Map.of("zoid.host", "daemon"), Map.of());
    }
}
