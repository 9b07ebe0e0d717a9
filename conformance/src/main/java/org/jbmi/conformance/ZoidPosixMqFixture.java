package org.jbmi.conformance;

import java.util.Map;

/** zoid with the engine in the daemon, and the server's commands in queues of the kernel. */
public final class ZoidPosixMqFixture extends ZoidFixture {
    /** For the service loader. */
    public ZoidPosixMqFixture() {
        super(
                "daemon-posix-mq",
                Map.of("zoid.host", "daemon", "zoid.commandChannel", "posix-mq"),
                Map.of());
    }
}
