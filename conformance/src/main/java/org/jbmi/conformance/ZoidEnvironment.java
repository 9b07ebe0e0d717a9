package org.jbmi.conformance;

import org.jbmi.BmiBuilder;
import org.jbmi.observe.CountersReader;
import org.jbmi.testsuite.Broker;
import org.jbmi.testsuite.Environment;
import org.jbmi.testsuite.EnvironmentSettings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** An environment of zoid in a temporary directory of its own. */
abstract class ZoidEnvironment implements Environment {
    private static final long UNEXPECTED_BYTES = 1L << 20;
    private static final long POOL_BYTES = 48L << 20;
    private static final long MAX_EXPECTED_BYTES = 16L << 20;
    private static final long MAX_UNEXPECTED_BYTES = 8192;

    /** The bytes that the engine holds now, for all its peers. */
    private static final Set<String> MEMORY = Set.of("zbmi.unexpected.held", "zbmi.pool.held");

    private static final String PENDING = "zbmi.operations.pending";

    private final Path directory;

    /** Removes the directory if a signal ends the program. */
    private final Thread atExit = Thread.ofPlatform().unstarted(this::deleteFiles);

    private final long pool;
    private final List<String> leftovers = new ArrayList<>();

    /** The knobs of each instance. */
    final Map<String, String> knobs = new TreeMap<>();

    /** The knobs of the process that hosts the engine. */
    final Map<String, String> hostKnobs = new TreeMap<>();

    ZoidEnvironment(EnvironmentSettings settings) {
        try {
            directory = Files.createTempDirectory("zw");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(atExit);
        long unexpected = or(settings.unexpectedMemoryBytes(), UNEXPECTED_BYTES);
        pool = or(settings.poolBytes(), POOL_BYTES);
        String maxExpected = Long.toString(or(settings.maxExpectedBytes(), MAX_EXPECTED_BYTES));
        String maxUnexpected =
                Long.toString(or(settings.maxUnexpectedBytes(), MAX_UNEXPECTED_BYTES));
        String segments = settings.segmentDirectory();
        knobs.put("zoid.runtimeDirectory", directory.resolve("run").toString());
        knobs.put("zoid.maxExpectedBytes", maxExpected);
        knobs.put("zoid.maxUnexpectedBytes", maxUnexpected);
        hostKnobs.put(
                "zbmi.segmentDirectory", segments.isEmpty() ? directory.toString() : segments);
        hostKnobs.put("zbmi.unexpectedBytes", Long.toString(unexpected));
        hostKnobs.put("zbmi.totalBytes", Long.toString(unexpected + pool));
        hostKnobs.put("zbmi.maxExpectedBytes", maxExpected);
        hostKnobs.put("zbmi.maxUnexpectedBytes", maxUnexpected);
    }

    private static long or(long wanted, long otherwise) {
        return wanted == 0 ? otherwise : wanted;
    }

    final Path directory() {
        return directory;
    }

    @Override
    public final BmiBuilder extend(BmiBuilder builder) {
        knobs.forEach(builder::knob);
        return builder;
    }

    @Override
    public final Map<String, String> coordinates() {
        return knobs;
    }

    @Override
    public final String serverAddress(int number) {
        return "zoid://";
    }

    @Override
    public final long serverPoolBytes() {
        return pool;
    }

    @Override
    public final List<String> faults() {
        return positive(label -> label.equals("zbmi.faults"));
    }

    /**
     * An engine in the server's process hears of a client's cancel when the program calls it next,
     * so operations do not count here.
     */
    @Override
    public final List<String> held() {
        Broker daemon = broker();
        boolean isServed = daemon == null || daemon.isRunning(); // a killed one leaves its counters
        return isServed ? positive(MEMORY::contains) : List.of();
    }

    /** What the engine holds when all its peers have gone. */
    final List<String> heldForNobody() {
        return positive(label -> MEMORY.contains(label) || label.equals(PENDING));
    }

    /**
     * The counters that are above 0. Those of a server that hosts the engine end with it. Looks at
     * no other file: hosts may remove theirs at any time.
     */
    private List<String> positive(Predicate<String> isMeant) {
        List<String> all = new ArrayList<>();
        for (String name : List.of("counters", "server.counters")) { // the daemon's, the server's
            Path file = directory.resolve("run").resolve(name);
            if (Files.exists(file)) {
                try (CountersReader reader = CountersReader.open(file)) {
                    reader.read().stream()
                            .filter(reading -> isMeant.test(reading.spec().label()))
                            .filter(reading -> reading.value() > 0)
                            .map(reading -> reading.spec().label() + ": " + reading.value())
                            .forEach(all::add);
                }
            }
        }
        return all;
    }

    /** Adds something that the environment has left behind. */
    final void addLeftover(String what) {
        leftovers.add(what);
    }

    /** Reports the files that should have been removed. */
    final void reportFiles() {
        for (Path file : files()) {
            String name = directory.relativize(file).toString();
            if (!List.of("", "run", "run/daemon.lock").contains(name)) {
                addLeftover("file: " + name);
            }
        }
    }

    final void delete() {
        deleteFiles();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The program ends, and the hook finds nothing.
        }
    }

    private void deleteFiles() {
        if (!Files.exists(directory)) {
            return;
        }
        try {
            for (Path file : files()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<Path> files() {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.sorted(Comparator.reverseOrder()).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public final List<String> leftovers() {
        return leftovers;
    }
}
