package org.jbmi.zoid;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.observe.CountersReader;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.daemon.StatReport;
import org.jbmi.zbmi.daemon.ZbmiDaemon;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** A daemon in a directory of its own, and whoever attaches to it; all of it goes at the close. */
public final class ZoidWorld implements AutoCloseable {
    private final Path directory;
    private final Map<String, String> daemonKnobs = new HashMap<>();
    private final String host;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private ZbmiDaemon daemon;

    /** A world without a daemon, whose servers will wait for one. */
    public ZoidWorld() {
        this("daemon");
    }

    /** A world without a daemon, whose servers have the host that is named. */
    public ZoidWorld(String host) {
        this.host = host;
        try {
            directory = Files.createTempDirectory("zw");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemonKnobs.put("zoid.runtimeDirectory", runtime().toString());
        daemonKnobs.put("zbmi.segmentDirectory", directory.toString());
        daemonKnobs.put("zbmi.totalBytes", "16m");
    }

    /** A world with a small daemon. */
    public static ZoidWorld started() {
        ZoidWorld world = new ZoidWorld();
        world.startDaemon();
        return world;
    }

    /** Where the engines of its servers run, as the knob says it. */
    public String host() {
        return host;
    }

    public Path directory() {
        return directory;
    }

    public Path runtime() {
        return directory.resolve("run");
    }

    public ZoidWorld daemonKnob(String name, String value) {
        daemonKnobs.put(name, value);
        return this;
    }

    public ZbmiDaemon startDaemon() {
        ZbmiDaemon.Builder builder = ZbmiDaemon.builder();
        daemonKnobs.forEach(builder::knob);
        daemon = builder.start();
        return daemon;
    }

    /** Starts a daemon, unless the servers do without one. */
    void startHost() {
        if (!host.equals("embedded")) {
            startDaemon();
        }
    }

    public void stopDaemon() {
        if (daemon != null) {
            daemon.close();
            daemon = null;
        }
    }

    public ZbmiDaemon daemon() {
        return daemon;
    }

    /** A counter of the daemon. */
    public long daemonCount(String label) {
        return Objects.requireNonNull(daemon.counters().find(label), label).get();
    }

    public BmiBuilder builder() {
        return Bmi.builder().knob("zoid.runtimeDirectory", runtime().toString());
    }

    /** Knobs of a server: where its engine runs, and those of a host if that is the server. */
    public BmiBuilder serverBuilder() {
        BmiBuilder builder = builder().knob("zoid.host", host).listen("zoid://");
        return host.equals("daemon") ? builder : knobs(builder);
    }

    /** All knobs of a server that hosts the engine, for another builder. */
    BmiBuilder knobs(BmiBuilder builder) {
        daemonKnobs.forEach(builder::knob);
        return builder;
    }

    public Bmi server() {
        return keep(serverBuilder().open());
    }

    public Bmi client() {
        return keep(builder().open());
    }

    /** One that goes through the daemon's gateway, if it has one. */
    Bmi socketClient() {
        return keep(
                builder()
                        .knob("zoid.clientLink", "socket")
                        .knob("zoid.serverAddress", daemon.gatewayAddresses().getFirst())
                        .open());
    }

    /** A counter of whoever hosts the engine, seen from outside: by its label, in total. */
    long hostCount(String label) {
        return StatReport.counters(new RuntimeDirectory(runtime())).stream()
                .filter(reading -> reading.spec().label().equals(label))
                .mapToLong(CountersReader.Reading::value)
                .reduce(Long::sum)
                .orElseThrow(() -> new NoSuchElementException(label));
    }

    public <T extends AutoCloseable> T keep(T resource) {
        open.push(resource);
        return resource;
    }

    public long count(Bmi bmi, String label) {
        return Objects.requireNonNull(bmi.counters().find(label), label).get();
    }

    /** Waits until something holds. */
    public static void await(String what, long timeoutMs, BooleanSupplier condition) {
        long end = System.nanoTime() + timeoutMs * 1_000_000;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("did not happen within " + timeoutMs + " ms: " + what);
            }
            Thread.yield();
        }
    }

    /** Waits until a thread is in a wait of the library. */
    static void awaitWaiting(Thread thread) {
        await(
                "the thread waits",
                10_000,
                () ->
                        Arrays.stream(thread.getStackTrace())
                                .anyMatch(
                                        at ->
                                                at.getClassName()
                                                        .equals("org.jbmi.core.waiting.Progress")));
    }

    @Override
    public void close() {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        stopDaemon();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
