package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.PeerAddress;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.tcp.TcpOptions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A server's instance and clients' instances of one method, in this process. */
final class Setup implements AutoCloseable {
    static final List<String> METHODS = List.of("loopback", "zoid", "tcp");

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String method;
    private final boolean countsReferences;
    private final LoopbackHub hub = new LoopbackHub();
    private final Path folder;
    private final List<Bmi> opened = new ArrayList<>();
    final Bmi server;
    final Bmi client;

    private Setup(String method, boolean countsReferences) throws IOException {
        this.method = method;
        this.countsReferences = countsReferences;
        this.folder = Files.createTempDirectory("sh");
        server = open(true);
        client = open(false);
    }

    static Setup of(String method) throws IOException {
        return new Setup(method, false);
    }

    /** With instances that count a reference for each message. */
    static Setup countingReferences(String method) throws IOException {
        return new Setup(method, true);
    }

    /** Does the steps again and again until something is so; fails if that takes too long. */
    static void until(String what, BooleanSupplier fact, Runnable... steps) {
        long endNs = System.nanoTime() + PATIENCE.toNanos();
        while (!fact.getAsBoolean()) {
            assertThat(System.nanoTime() - endNs).as("%s, in time", what).isNegative();
            for (Runnable step : steps) {
                step.run();
            }
            Thread.onSpinWait();
        }
    }

    /** Waits until something has a value; fails with what it has if that takes too long. */
    static <T> void untilEqual(String what, T expected, Supplier<T> actual) {
        long endNs = System.nanoTime() + PATIENCE.toNanos();
        while (!actual.get().equals(expected) && System.nanoTime() - endNs < 0) {
            Thread.onSpinWait();
        }
        assertThat(actual.get()).as(what).isEqualTo(expected);
    }

    private Bmi open(boolean listens) {
        BmiBuilder builder = builder();
        if (listens) {
            builder.listen(
                    switch (method) {
                        case "loopback" -> "loopback://server";
                        case "zoid" -> "zoid://";
                        default -> "tcp://127.0.0.1:0";
                    });
        }
        Bmi bmi = builder.open();
        opened.add(bmi);
        return bmi;
    }

    BmiBuilder builder() {
        BmiBuilder builder =
                Bmi.builder().attach(LoopbackHub.class, hub).automaticReferences(countsReferences);
        if (method.equals("zoid")) {
            builder.knob("zoid.runtimeDirectory", zoidFolder().toString())
                    .knob("zoid.host", "embedded")
                    .knob("zbmi.totalBytes", "64m");
        }
        return builder;
    }

    /** Where the host of zoid has its files. */
    Path zoidFolder() {
        return folder.resolve("z");
    }

    Bmi anotherClient() {
        return open(false);
    }

    String addressText() {
        return switch (method) {
            case "loopback" -> "loopback://server";
            case "zoid" -> "zoid://";
            default -> "tcp://127.0.0.1:" + server.getOption(TcpOptions.PORT);
        };
    }

    PeerAddress address(Bmi from) {
        return from.lookup(addressText());
    }

    PeerAddress address() {
        return address(client);
    }

    @Override
    public void close() throws IOException {
        for (Bmi bmi : opened.reversed()) {
            bmi.close();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
