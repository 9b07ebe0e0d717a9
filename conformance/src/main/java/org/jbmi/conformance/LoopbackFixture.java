package org.jbmi.conformance;

import org.jbmi.BmiBuilder;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.Environment;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.MethodFixture;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Environments of loopback, each with a hub of its own. */
public final class LoopbackFixture implements MethodFixture {
    /** For the service loader. */
    public LoopbackFixture() {}

    @Override
    public String name() {
        return "loopback";
    }

    @Override
    public String scheme() {
        return "loopback";
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(
                Capability.SELF_SEND,
                Capability.UNEXPECTED_TO_CLIENT,
                Capability.BOUNDED_UNEXPECTED,
                Capability.SERVER_POOL,
                Capability.STRICT_POOL_ONLY,
                Capability.LIST_LIMIT,
                Capability.SEVERAL_METHODS);
    }

    @Override
    public Environment open(EnvironmentSettings settings) {
        return new HubEnvironment(settings);
    }

    @Override
    public List<String> malformedAddresses() {
        return List.of(
                "loopback:",
                "loopback:/",
                "loopback://",
                "loopback:///a",
                "loopback://a b",
                "loopback://ä");
    }

    @Override
    public List<String> restCounters() {
        return List.of("loopback.poolBlocks", "loopback.unexpectedHeldBytes");
    }

    @Override
    public String serverCopiesCounter() {
        return "loopback.copies";
    }

    @Override
    public long largestExpectedBytes() {
        return 128L << 20;
    }

    @Override
    public String leakedBlocksCounter(boolean ofServer) {
        return "loopback.leakedBlocks";
    }

    @Override
    public String unexpectedAcceptedCounter() {
        return "loopback.unexpectedAccepted";
    }

    private static final class HubEnvironment implements Environment {
        private final LoopbackHub hub = new LoopbackHub();
        private final Map<String, String> knobs = new TreeMap<>();

        HubEnvironment(EnvironmentSettings settings) {
            knob("loopback.maxExpectedBytes", settings.maxExpectedBytes());
            knob("loopback.maxUnexpectedBytes", settings.maxUnexpectedBytes());
            knob("loopback.unexpectedBytes", settings.unexpectedMemoryBytes());
            knob("loopback.poolBytes", settings.poolBytes());
        }

        private void knob(String name, long value) {
            if (value != 0) {
                knobs.put(name, Long.toString(value));
            }
        }

        @Override
        public BmiBuilder extend(BmiBuilder builder) {
            builder.attach(LoopbackHub.class, hub);
            knobs.forEach(builder::knob);
            return builder;
        }

        @Override
        public String serverAddress(int number) {
            return "loopback://server-" + number;
        }

        @Override
        public void close() {}

        @Override
        public List<String> leftovers() {
            return hub.memberCount() == 0 ? List.of() : List.of(hub.memberCount() + " members");
        }
    }
}
