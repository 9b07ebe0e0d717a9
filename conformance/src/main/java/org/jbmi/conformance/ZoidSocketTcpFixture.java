package org.jbmi.conformance;

import java.util.Map;

/** zoid through the daemon's gateway, on TCP. */
public final class ZoidSocketTcpFixture extends ZoidSocketFixture {
    /** For the service loader. */
    public ZoidSocketTcpFixture() {
        super(
                "socket-tcp",
                "127.0.0.1:" + DaemonEnvironment.PORT,
                Map.of("zbmi.gatewayPort", DaemonEnvironment.PORT));
    }
}
