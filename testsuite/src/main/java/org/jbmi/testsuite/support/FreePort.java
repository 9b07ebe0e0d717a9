package org.jbmi.testsuite.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port for a server whose address must be known before it listens. It is found by chance below
 * the range from which the system takes ports for outgoing connections. So no connection takes it
 * before the server does. Another program still can.
 */
public final class FreePort {
    private static final int FIRST = 20_000;
    private static final int LAST = 32_000;
    private static final int TRIES = 1000;

    private FreePort() {}

    /**
     * Finds a port at which nobody listens on the loopback interface at this moment.
     *
     * @return its number
     * @throws UncheckedIOException if a thousand are taken, with what the last one said
     */
    public static int find() {
        IOException last = new IOException("There is no free port.");
        for (int tries = 0; tries < TRIES; tries++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return probe.getLocalPort();
            } catch (IOException e) {
                last = e; // somebody has it
            }
        }
        throw new UncheckedIOException(last);
    }
}
