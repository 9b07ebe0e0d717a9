package org.jbmi.zoid;

import org.jbmi.BmiBuilder;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.MethodFixture;
import org.jbmi.testsuite.World;
import org.jbmi.testsuite.WorldSettings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Worlds of zoid: a daemon each, in this process, with shared memory in a directory of its own. */
final class ZoidFixture implements MethodFixture {
    private static final long UNEXPECTED_BYTES = 1L << 20;
    private static final long POOL_BYTES = 48L << 20;
    private static final long MAX_EXPECTED_BYTES = 16L << 20;

    @Override
    public String name() {
        return "zoid";
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
                Capability.EAGER,
                Capability.POST_TIMEOUT,
                Capability.SINGLE_ADDRESS,
                Capability.LIST_LIMIT);
    }

    @Override
    public World open(WorldSettings settings) {
        return new DaemonWorld(settings);
    }

    @Override
    public List<String> malformedAddresses() {
        return List.of("zoid:", "zoid:/", "zoid:///", "zoid://host", "zoid:// ", "zoid://:1");
    }

    @Override
    public String serverCopiesCounter() {
        return "zoid.server.copies";
    }

    @Override
    public String unalignedCounter() {
        return "zoid.server.unalignedBuffers";
    }

    private static long or(long wanted, long otherwise) {
        return wanted == 0 ? otherwise : wanted;
    }

    private static final class DaemonWorld implements World {
        private final ZoidWorld world = new ZoidWorld();
        private final Map<String, String> knobs = new TreeMap<>();
        private final List<String> leftovers = new ArrayList<>();

        DaemonWorld(WorldSettings settings) {
            long unexpected = or(settings.unexpectedMemoryBytes(), UNEXPECTED_BYTES);
            long pool = or(settings.poolBytes(), POOL_BYTES);
            long maxExpected = or(settings.maxExpectedBytes(), MAX_EXPECTED_BYTES);
            long maxUnexpected = or(settings.maxUnexpectedBytes(), 8192);
            world.daemonKnob("zbmi.unexpectedBytes", Long.toString(unexpected))
                    .daemonKnob("zbmi.totalBytes", Long.toString(unexpected + pool))
                    .daemonKnob("zbmi.maxExpectedBytes", Long.toString(maxExpected))
                    .daemonKnob("zbmi.maxUnexpectedBytes", Long.toString(maxUnexpected));
            knobs.put("zoid.maxExpectedBytes", Long.toString(maxExpected));
            knobs.put("zoid.maxUnexpectedBytes", Long.toString(maxUnexpected));
            world.startDaemon();
        }

        @Override
        public BmiBuilder serverBuilder(int number) {
            return clientBuilder().listen(serverAddress(number));
        }

        @Override
        public BmiBuilder clientBuilder() {
            BmiBuilder builder = world.builder();
            knobs.forEach(builder::knob);
            return builder;
        }

        @Override
        public String serverAddress(int number) {
            return "zoid://";
        }

        @Override
        public void close() {
            ZoidWorld.await(
                    "all sessions end",
                    5000,
                    () -> world.daemonCount("zbmi.sessions.attached") == 0);
            if (world.daemonCount("zbmi.faults") > 0) {
                leftovers.add("faults: " + world.daemon().errors());
            }
            world.stopDaemon();
            leftovers.addAll(files(world.runtime(), "daemon.lock"));
            leftovers.addAll(files(world.directory(), "run"));
            world.close();
        }

        private static List<String> files(Path directory, String allowed) {
            try (Stream<Path> files = Files.list(directory)) {
                return files.map(file -> String.valueOf(file.getFileName()))
                        .filter(name -> !name.equals(allowed))
                        .map(name -> "file: " + name)
                        .toList();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public List<String> leftovers() {
            return leftovers;
        }
    }
}
