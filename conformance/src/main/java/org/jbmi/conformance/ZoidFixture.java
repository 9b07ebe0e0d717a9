package org.jbmi.conformance;

import org.jbmi.BmiBuilder;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.Environment;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.MethodFixture;
import org.jspecify.annotations.Nullable;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Environments of zoid, each with a daemon and a directory for shared memory. */
abstract class ZoidFixture implements MethodFixture {
    private final String configuration;
    private final Map<String, String> instanceKnobs;
    private final Map<String, String> daemonKnobs;

    /** A configuration. */
    ZoidFixture(
            String configuration,
            Map<String, String> instanceKnobs,
            Map<String, String> daemonKnobs) {
        this.configuration = configuration;
        this.instanceKnobs = instanceKnobs;
        this.daemonKnobs = daemonKnobs;
    }

    @Override
    public String name() {
        return "zoid";
    }

    @Override
    public String configuration() {
        return configuration;
    }

    @Override
    public String scheme() {
        return "zoid";
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(
                Capability.SINGLE_SERVER,
                Capability.BOUNDED_UNEXPECTED,
                Capability.SERVER_POOL,
                Capability.STRICT_POOL_ONLY,
                Capability.TEMPORARY_BLOCKS,
                Capability.SEGMENT_FILE,
                Capability.POST_TIMEOUT,
                Capability.SINGLE_ADDRESS,
                Capability.LIST_LIMIT,
                Capability.PROCESSES,
                Capability.BROKER,
                Capability.OUTLIVES_SERVER,
                Capability.IMMEDIATE,
                Capability.CALL_COUNTER,
                Capability.SEVERAL_METHODS);
    }

    @Override
    public Environment open(EnvironmentSettings settings) throws Exception {
        return new DaemonEnvironment(settings, instanceKnobs, daemonKnobs);
    }

    @Override
    public Environment join(Map<String, String> coordinates) {
        return new Joined(coordinates);
    }

    /** An environment of another process; its coordinates are the knobs of who joins it. */
    private record Joined(Map<String, String> knobs) implements Environment {
        @Override
        public BmiBuilder extend(BmiBuilder builder) {
            knobs.forEach(builder::knob);
            return builder;
        }

        @Override
        public String serverAddress(int number) {
            return "zoid://";
        }

        @Override
        public void close() {}
    }

    @Override
    public List<String> malformedAddresses() {
        return List.of("zoid:", "zoid:/", "zoid:///", "zoid://host", "zoid:// ", "zoid://:1");
    }

    @Override
    public long largestExpectedBytes() {
        return 128L << 20;
    }

    @Override
    public String clientCopiesCounter() {
        return "zoid.client.copies";
    }

    @Override
    public @Nullable String leakedBlocksCounter(boolean ofServer) {
        return ofServer ? "zoid.server.leakedBlocks" : "zoid.client.leakedBlocks";
    }

    @Override
    public List<String> faultCounters() {
        return List.of("zoid.server.protocolErrors", "zoid.client.protocolErrors");
    }

    @Override
    public String serverCopiesCounter() {
        return "zoid.server.copies";
    }

    @Override
    public String unalignedCounter() {
        return "zoid.server.unalignedBuffers";
    }

    @Override
    public String forwardedCallsCounter() {
        return "zoid.client.forwardedCalls";
    }

    @Override
    public String commandsCounter() {
        return "zoid.server.commands";
    }

    @Override
    public String brokerWaitKnob() {
        return "zoid.attachTimeoutMs";
    }
}
