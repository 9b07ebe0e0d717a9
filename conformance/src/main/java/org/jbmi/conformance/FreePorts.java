package org.jbmi.conformance;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers whose address must be known before they listen. They are found by chance below
 * the range from which the system takes ports for outgoing connections.
 */
final class FreePorts {
    private static final int FIRST = 20_000;
    private static final int LAST = 32_000;
    private static final int SHARED = 3;

    private final Map<Integer, Integer> byNumber = new HashMap<>();

    /** Some ports may be known already: those that another process found. */
    FreePorts(Map<String, String> coordinates) {
        coordinates.forEach(
                (number, port) -> byNumber.put(Integer.valueOf(number), Integer.valueOf(port)));
    }

    /** The ports of the first servers, for another process. */
    Map<String, String> coordinates() {
        Map<String, String> coordinates = new TreeMap<>();
        for (int number = 0; number < SHARED; number++) {
            coordinates.put(Integer.toString(number), Integer.toString(port(number)));
        }
        return coordinates;
    }

    synchronized int port(int number) {
        return byNumber.computeIfAbsent(number, n -> free());
    }

    private static int free() {
        for (int tries = 0; tries < 1000; tries++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            if (isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException("There is no free port.");
    }

    private static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return probe.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
