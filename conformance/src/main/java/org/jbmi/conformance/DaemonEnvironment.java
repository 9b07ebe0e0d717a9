package org.jbmi.conformance;

import org.jbmi.BmiBuilder;
import org.jbmi.testsuite.Broker;
import org.jbmi.testsuite.Environment;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.EnvironmentSettings.BrokerPlace;
import org.jbmi.testsuite.Expect;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A daemon in a directory of its own. */
final class DaemonEnvironment implements Environment {
    /** Stands in the value of a knob for the directory of the environment. */
    static final String DIRECTORY = "{directory}";

    /** Stands in the value of a knob for a free port, the same one everywhere. */
    static final String PORT = "{port}";

    private static final long UNEXPECTED_BYTES = 1L << 20;
    private static final long POOL_BYTES = 48L << 20;
    private static final long MAX_EXPECTED_BYTES = 16L << 20;

    private final Path directory = temporary();
    private final Map<String, String> knobs;
    private final List<String> leftovers = new ArrayList<>();
    private final Broker broker;
    private final long pool;

    DaemonEnvironment(
            EnvironmentSettings settings,
            Map<String, String> instanceKnobs,
            Map<String, String> daemonKnobs) {
        Path runtime = directory.resolve("run");
        long unexpected = or(settings.unexpectedMemoryBytes(), UNEXPECTED_BYTES);
        pool = or(settings.poolBytes(), POOL_BYTES);
        String maxExpected = Long.toString(or(settings.maxExpectedBytes(), MAX_EXPECTED_BYTES));
        String maxUnexpected = Long.toString(or(settings.maxUnexpectedBytes(), 8192));
        String port = Integer.toString(new FreePorts(Map.of()).port(0));
        knobs = filledIn(instanceKnobs, port);
        knobs.put("zoid.runtimeDirectory", runtime.toString());
        knobs.put("zoid.maxExpectedBytes", maxExpected);
        knobs.put("zoid.maxUnexpectedBytes", maxUnexpected);
        Map<String, String> daemon = filledIn(daemonKnobs, port);
        daemon.put("zoid.runtimeDirectory", runtime.toString());
        daemon.put("zbmi.segmentDirectory", segmentDirectory(settings, directory));
        daemon.put("zbmi.unexpectedBytes", Long.toString(unexpected));
        daemon.put("zbmi.totalBytes", Long.toString(unexpected + pool));
        daemon.put("zbmi.maxExpectedBytes", maxExpected);
        daemon.put("zbmi.maxUnexpectedBytes", maxUnexpected);
        broker =
                settings.brokerPlace() == BrokerPlace.ANYWHERE
                        ? new LocalDaemon(daemon)
                        : new DaemonProcess(daemon);
        if (settings.brokerPlace() != BrokerPlace.NOT_STARTED) {
            try {
                broker.start();
            } catch (RuntimeException | AssertionError e) {
                delete();
                throw e;
            }
        }
    }

    private Map<String, String> filledIn(Map<String, String> values, String port) {
        Map<String, String> filled = new TreeMap<>();
        values.forEach(
                (name, value) ->
                        filled.put(
                                name,
                                value.replace(DIRECTORY, directory.toString())
                                        .replace(PORT, port)));
        return filled;
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("zw");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The directory of the segment. */
    static String segmentDirectory(EnvironmentSettings settings, Path otherwise) {
        String wanted = settings.segmentDirectory();
        return wanted.isEmpty() ? otherwise.toString() : wanted;
    }

    private static long or(long wanted, long otherwise) {
        return wanted == 0 ? otherwise : wanted;
    }

    @Override
    public BmiBuilder extend(BmiBuilder builder) {
        knobs.forEach(builder::knob);
        return builder;
    }

    @Override
    public Map<String, String> coordinates() {
        return knobs;
    }

    @Override
    public String serverAddress(int number) {
        return "zoid://";
    }

    @Override
    public long serverPoolBytes() {
        return pool;
    }

    @Override
    public Broker broker() {
        return broker;
    }

    @Override
    public void close() {
        try {
            if (broker.isRunning()) {
                Expect.eventually(
                        () -> broker.counter(broker.attachedCounter()) == 0, "all sessions end");
                long faults = broker.counter("zbmi.faults");
                if (faults > 0) {
                    leftovers.add("faults: " + faults);
                }
                broker.stop();
                leftovers.addAll(files(directory.resolve("run"), "daemon.lock"));
                leftovers.addAll(files(directory, "run"));
            }
        } finally {
            broker.stop();
            delete();
        }
    }

    private void delete() {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
