package org.jbmi.conformance;

import java.util.Map;

/** zoid through the daemon's gateway, on a Unix-domain socket. */
public final class ZoidSocketUnixFixture extends ZoidSocketFixture {
    private static final String SOCKET = DaemonEnvironment.DIRECTORY + "/gateway.sock";

    /** For the service loader. */
    public ZoidSocketUnixFixture() {
        super("socket-unix", SOCKET, Map.of("zbmi.gatewaySocket", SOCKET));
    }
}
