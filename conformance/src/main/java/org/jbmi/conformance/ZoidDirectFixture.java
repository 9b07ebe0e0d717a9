package org.jbmi.conformance;

import java.util.Map;

/** zoid with the engine in the server, in memory that a daemon lends. */
public final class ZoidDirectFixture extends ZoidFixture {
    /** For the service loader. */
    public ZoidDirectFixture() {
        super("direct", Map.of("zoid.host", "direct"), Map.of());
    }
}
