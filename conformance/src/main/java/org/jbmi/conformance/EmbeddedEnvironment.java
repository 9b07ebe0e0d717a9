package org.jbmi.conformance;

import org.jbmi.BmiBuilder;
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
import java.util.TreeMap;
import java.util.stream.Stream;

/** A directory in which a server hosts its engine itself. */
final class EmbeddedEnvironment implements Environment {
    private static final long UNEXPECTED_BYTES = 1L << 20;
    private static final long POOL_BYTES = 48L << 20;
    private static final long MAX_EXPECTED_BYTES = 16L << 20;

    private final Path directory;
    private final long pool;
    private final Map<String, String> knobs = new TreeMap<>();
    private final List<String> leftovers = new ArrayList<>();

    EmbeddedEnvironment(EnvironmentSettings settings) {
        try {
            directory = Files.createTempDirectory("zw");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        long unexpected = or(settings.unexpectedMemoryBytes(), UNEXPECTED_BYTES);
        pool = or(settings.poolBytes(), POOL_BYTES);
        String maxExpected = Long.toString(or(settings.maxExpectedBytes(), MAX_EXPECTED_BYTES));
        String maxUnexpected = Long.toString(or(settings.maxUnexpectedBytes(), 8192));
        knobs.put("zoid.host", "embedded");
        knobs.put("zoid.runtimeDirectory", directory.resolve("run").toString());
        knobs.put("zoid.maxExpectedBytes", maxExpected);
        knobs.put("zoid.maxUnexpectedBytes", maxUnexpected);
        knobs.put("zbmi.segmentDirectory", DaemonEnvironment.segmentDirectory(settings, directory));
        knobs.put("zbmi.unexpectedBytes", Long.toString(unexpected));
        knobs.put("zbmi.totalBytes", Long.toString(unexpected + pool));
        knobs.put("zbmi.maxExpectedBytes", maxExpected);
        knobs.put("zbmi.maxUnexpectedBytes", maxUnexpected);
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
    public void close() {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                String name = directory.relativize(file).toString();
                if (!List.of("", "run", "run/daemon.lock").contains(name)) {
                    leftovers.add("file: " + name);
                }
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public List<String> leftovers() {
        return leftovers;
    }
}
