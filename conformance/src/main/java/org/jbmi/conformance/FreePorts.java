package org.jbmi.conformance;

import org.jbmi.testsuite.support.FreePort;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Free ports for servers whose addresses must be known before they listen, by the number of the
 * server.
 */
final class FreePorts {
    private static final int SHARED = 3;

    private final Map<Integer, Integer> byNumber = new HashMap<>();

    /** Takes the ports that another process has found, if there are any. */
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
        return byNumber.computeIfAbsent(number, n -> FreePort.find());
    }
}
