package org.jbmi.zoid.daemon;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.PeerAddress;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.shipper.ShippedCall;
import org.jbmi.shipper.Shipper;
import org.jbmi.shipper.codec.Codec;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.zoid.forward.client.Launch;
import org.jbmi.zoid.forward.client.Zoid;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A server with the plug-in "held" in this process, and clients of it. */
final class DaemonSetup implements AutoCloseable {
    static final Duration SOON = Duration.ofSeconds(60);

    private final String method;
    private final Path folder;
    private final LoopbackHub hub = new LoopbackHub();
    final HeldFunctions functions = new HeldFunctions();
    final List<String> log = new CopyOnWriteArrayList<>();
    final Bmi serverBmi;
    final Bmi clientBmi;
    final ZoidDaemon daemon;
    final Shipper shipper;

    private DaemonSetup(String method, Path folder, ZoidSettings settings, Duration patience) {
        this.method = method;
        this.folder = folder;
        String listen =
                switch (method) {
                    case "loopback" -> "loopback://server";
                    case "zoid" -> "zoid://";
                    default -> "tcp://127.0.0.1:0";
                };
        serverBmi = builder().listen(listen).open();
        clientBmi = builder().open();
        shipper = Shipper.on(clientBmi);
        ZoidDaemon served = null;
        try {
            served =
                    ZoidDaemon.serve(
                            serverBmi,
                            settings.withModules(List.of("held")),
                            List.of(functions),
                            patience,
                            log::add);
        } finally {
            if (served == null) {
                closeMessages();
            }
        }
        daemon = served;
    }

    private void closeMessages() {
        shipper.close();
        clientBmi.close();
        serverBmi.close();
    }

    static DaemonSetup of(String method, Path folder, ZoidSettings settings) {
        return new DaemonSetup(method, folder, settings, SOON);
    }

    static DaemonSetup withBroadcastPatience(Path folder, Duration patience) {
        return new DaemonSetup("loopback", folder, ZoidSettings.defaults(), patience);
    }

    private BmiBuilder builder() {
        BmiBuilder builder = Bmi.builder().attach(LoopbackHub.class, hub);
        if (method.equals("zoid")) {
            builder.knob("zoid.runtimeDirectory", runtimeFolder())
                    .knob("zoid.host", "embedded")
                    .knob("zbmi.totalBytes", "64m");
        }
        return builder;
    }

    /** Where processes find the server; empty if not by a folder. */
    String runtimeFolder() {
        return method.equals("zoid") ? folder.resolve("z").toString() : "";
    }

    String address() {
        return switch (method) {
            case "loopback" -> "loopback://server";
            case "zoid" -> "zoid://";
            default -> "tcp://127.0.0.1:" + serverBmi.getOption(TcpOptions.PORT);
        };
    }

    PeerAddress server() {
        return clientBmi.lookup(address());
    }

    Zoid client(Launch launch) {
        return Zoid.builder(clientBmi).launch(launch).connect(address());
    }

    /** A call as a launcher or a process makes it. */
    <I, O> ShippedCall<O> call(
            String function, Codec<I> inputs, Codec<O> outputs, Class<O> type, I input) {
        return shipper.function(function, inputs, outputs, type)
                .withDeadline(Duration.ZERO)
                .forward(server(), input);
    }

    /** Waits for a fact, under the watchdog of the test. */
    static void await(BooleanSupplier fact) throws InterruptedException {
        while (!fact.getAsBoolean()) {
            TimeUnit.MILLISECONDS.sleep(2);
        }
    }

    @Override
    public void close() {
        functions.goesOn.countDown();
        daemon.close();
        closeMessages();
    }
}
