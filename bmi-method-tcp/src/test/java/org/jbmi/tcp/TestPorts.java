package org.jbmi.tcp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers whose address must be known before they listen. They are found by chance below
 * the range from which the system takes ports for outgoing connections.
 */
final class TestPorts {
    private static final int FIRST = 20_000;
    private static final int LAST = 32_000;

    private final Map<Integer, Integer> byNumber = new HashMap<>();

    synchronized int port(int number) {
        return byNumber.computeIfAbsent(number, n -> free());
    }

    private static int free() {
        for (int tries = 0; tries < 1000; tries++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return probe.getLocalPort();
            } catch (IOException e) {
                continue; // somebody has it
            }
        }
        throw new IllegalStateException("There is no free port.");
    }
}
