package org.jbmi.conformance;

import org.jbmi.BmiBuilder;
import org.jbmi.tcp.TcpResolver;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.Environment;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.MethodFixture;
import org.jbmi.testsuite.support.FreePort;

import java.net.UnknownHostException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Environments of tcp on the loopback interface, each with some free ports. */
abstract class TcpFixture implements MethodFixture {
    private final String dialect;
    private final boolean hasClasses;

    /**
     * A dialect.
     *
     * @param dialect its label
     * @param hasClasses whether its header has a message class, and the sender's name
     */
    TcpFixture(String dialect, boolean hasClasses) {
        this.dialect = dialect;
        this.hasClasses = hasClasses;
    }

    @Override
    public String name() {
        return "tcp";
    }

    @Override
    public String configuration() {
        return dialect;
    }

    @Override
    public String scheme() {
        return "tcp";
    }

    @Override
    public Set<Capability> capabilities() {
        Set<Capability> can =
                EnumSet.of(
                        Capability.UNEXPECTED_TO_CLIENT,
                        Capability.SERVER_POOL,
                        Capability.STRICT_POOL_ONLY,
                        Capability.ADDRESS_RANGES,
                        Capability.PORT,
                        Capability.LIST_LIMIT,
                        Capability.LOCAL_SENDS,
                        Capability.PROCESSES,
                        Capability.CONNECTIONS,
                        Capability.SEVERAL_METHODS);
        if (hasClasses) {
            can.add(Capability.SELF_SEND); // a server knows itself by its name in the header
        } else {
            can.add(Capability.NO_CLASSES);
        }
        return can;
    }

    @Override
    public Environment open(EnvironmentSettings settings) {
        return new PortEnvironment(dialect, settings, Map.of());
    }

    @Override
    public Environment join(Map<String, String> coordinates) {
        return new PortEnvironment(dialect, EnvironmentSettings.DEFAULT, coordinates);
    }

    @Override
    public List<String> malformedAddresses() {
        return List.of(
                "tcp:",
                "tcp:/",
                "tcp://",
                "tcp://:80",
                "tcp://a b:80",
                "tcp://host:",
                "tcp://host:x",
                "tcp://host:80x",
                "tcp://host:-1",
                "tcp://host:65536",
                "tcp://host:80/fs",
                "tcp://1.2.3.4.5:80",
                "tcp://[::1:80",
                "tcp://[host]:80",
                "tcp://host:80,",
                "tcp://host:80,tcp://");
    }

    @Override
    public List<String> restCounters() {
        return List.of(
                "tcp.poolBlocks",
                "tcp.unexpectedHeldBytes",
                "tcp.earlyHeldBytes",
                "tcp.aheadHeldBytes");
    }

    @Override
    public List<String> faultCounters() {
        return List.of("tcp.protocolErrors");
    }

    @Override
    public long largestExpectedBytes() {
        return 16L << 20;
    }

    @Override
    public String leakedBlocksCounter(boolean ofServer) {
        return "tcp.leakedBlocks";
    }

    @Override
    public void withoutNames(BmiBuilder builder) {
        TcpResolver none =
                (host, port) -> {
                    throw new UnknownHostException(host);
                };
        builder.attach(TcpResolver.class, none);
    }

    @Override
    public String unexpectedAcceptedCounter() {
        return "tcp.unexpectedAccepted";
    }

    private static final class PortEnvironment implements Environment {
        /** How many servers of one process another process can find. */
        private static final int SHARED = 3;

        /** By the numbers of the servers, whose addresses must be known before they listen. */
        private final Map<Integer, Integer> ports = new ConcurrentHashMap<>();

        private final Map<String, String> knobs = new TreeMap<>();

        PortEnvironment(
                String dialect, EnvironmentSettings settings, Map<String, String> coordinates) {
            coordinates.forEach(
                    (number, port) -> ports.put(Integer.valueOf(number), Integer.valueOf(port)));
            knobs.put("tcp.dialect", dialect);
            knob("tcp.maxExpectedBytes", settings.maxExpectedBytes());
            knob("tcp.maxUnexpectedBytes", settings.maxUnexpectedBytes());
            knob("tcp.unexpectedBytes", settings.unexpectedMemoryBytes());
            knob("tcp.poolBytes", settings.poolBytes());
        }

        private void knob(String name, long value) {
            if (value != 0) {
                knobs.put(name, Long.toString(value));
            }
        }

        @Override
        public BmiBuilder serverBuilder(int number) {
            return clientBuilder().listen(serverAddress(number)).knob("tcp.bindSpecific", "true");
        }

        @Override
        public BmiBuilder extend(BmiBuilder builder) {
            knobs.forEach(builder::knob);
            return builder;
        }

        @Override
        public String serverAddress(int number) {
            return "tcp://127.0.0.1:" + port(number);
        }

        private int port(int number) {
            return ports.computeIfAbsent(number, n -> FreePort.find());
        }

        @Override
        public Map<String, String> coordinates() {
            Map<String, String> coordinates = new TreeMap<>();
            for (int number = 0; number < SHARED; number++) {
                coordinates.put(Integer.toString(number), Integer.toString(port(number)));
            }
            return coordinates;
        }

        @Override
        public void close() {}
    }
}
