package org.jbmi.conformance;

import java.util.Map;

/** zoid with the engine in the daemon, which its server reaches by the kernel's message queues. */
public final class ZoidPosixMqFixture extends ZoidFixture {
    private static final String CHANNEL = "posix-mq";

    /** For the service loader. */
    public ZoidPosixMqFixture() {
        super(
                CHANNEL,
                Map.of("zoid.commandChannel", CHANNEL),
                Map.of("zbmi.commandChannel", CHANNEL));
    }
}
