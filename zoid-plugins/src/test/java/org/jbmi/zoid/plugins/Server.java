package org.jbmi.zoid.plugins;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.zoid.daemon.ZoidDaemon;
import org.jbmi.zoid.daemon.ZoidSettings;
import org.jbmi.zoid.forward.PluginProvider;
import org.jbmi.zoid.forward.PluginServices;
import org.jbmi.zoid.forward.client.Launch;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.forward.client.ZoidBuilder;
import org.jbmi.zoid.forward.stub.PluginDispatcher;
import org.jbmi.zoid.plugins.barrier.BarrierProvider;
import org.jbmi.zoid.plugins.mapping.MappingProvider;
import org.jbmi.zoid.plugins.test.TestDispatcher;
import org.jbmi.zoid.plugins.test.TestFunctions;
import org.jbmi.zoid.plugins.unix.UnixProvider;
import org.jbmi.zoid.plugins.zoidfs.ZoidfsProvider;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** A server with all plug-ins over one method, and clients of it, in this process. */
final class Server implements AutoCloseable {
    static final List<String> METHODS = List.of("loopback", "zoid", "tcp");

    private final String method;
    private final LoopbackHub hub = new LoopbackHub();
    private final Path folder;
    private final List<Runnable> opened = new ArrayList<>();
    private final Bmi bmi;
    private final ZoidDaemon daemon;
    private TestFunctions functions;
    final List<String> log = new CopyOnWriteArrayList<>();

    private Server(String method, ZoidSettings settings, Iterable<PluginProvider> others)
            throws IOException {
        this.method = method;
        this.folder = Files.createTempDirectory("zf");
        bmi = builder().listen(listenText()).open();
        opened.add(bmi::close);
        List<PluginProvider> providers = new ArrayList<>();
        others.forEach(providers::add);
        providers.addAll(
                List.of(
                        new UnixProvider(),
                        new MappingProvider(),
                        new BarrierProvider(),
                        new ZoidfsProvider(),
                        new Remembered()));
        try {
            daemon = ZoidDaemon.serve(bmi, settings, providers, log::add);
        } catch (RuntimeException | Error refused) {
            close();
            throw refused;
        }
        opened.add(daemon::close);
    }

    static ZoidSettings settings() {
        return ZoidSettings.defaults().withModules(List.of("unix", "mapping", "barrier", "test"));
    }

    static Server of(String method) throws IOException {
        return of(method, settings());
    }

    static Server of(String method, ZoidSettings settings) throws IOException {
        return of(method, settings, List.of());
    }

    /** A server with other plug-ins than ours, in addition. */
    static Server of(String method, ZoidSettings settings, Iterable<PluginProvider> others)
            throws IOException {
        return new Server(method, settings, others);
    }

    private Zoid opened(Zoid client) {
        opened.add(client::close);
        return client;
    }

    private String listenText() {
        return switch (method) {
            case "loopback" -> "loopback://server";
            case "zoid" -> "zoid://";
            default -> "tcp://127.0.0.1:0";
        };
    }

    String address() {
        return method.equals("tcp")
                ? "tcp://127.0.0.1:" + bmi.getOption(TcpOptions.PORT)
                : listenText();
    }

    private BmiBuilder builder() {
        BmiBuilder builder = Bmi.builder().attach(LoopbackHub.class, hub);
        if (method.equals("zoid")) {
            builder.knob("zoid.runtimeDirectory", folder.resolve("z").toString())
                    .knob("zoid.host", "embedded")
                    .knob("zbmi.totalBytes", "64m");
        }
        return builder;
    }

    Bmi clientBmi() {
        Bmi client = builder().knob("bmi.maxContexts", "100").open();
        opened.add(client::close);
        return client;
    }

    /** A client in an instance of its own, without a rank. */
    Zoid client() {
        return client(clientBmi());
    }

    Zoid client(Bmi over) {
        return client(describe(over));
    }

    Zoid client(ZoidBuilder described) {
        return opened(described.connect(address()));
    }

    static ZoidBuilder describe(Bmi over) {
        return Zoid.builder(over).launch(Launch.NONE);
    }

    Zoid client(int rank, int size, String job) {
        return client(
                Zoid.builder(clientBmi())
                        .launch(new Launch(rank, size, job))
                        .program(List.of("program", "argument")));
    }

    /** What it listens on. */
    Bmi bmi() {
        return bmi;
    }

    ZoidDaemon daemon() {
        return daemon;
    }

    /** What the server has told the plug-in "test". */
    List<String> told() {
        return functions.told();
    }

    Path folder() {
        return folder;
    }

    /** The plug-in "test", of which the test keeps the implementation. */
    private final class Remembered implements PluginProvider {
        @Override
        public String name() {
            return "test";
        }

        @Override
        public PluginDispatcher open(PluginServices services) {
            functions = new TestFunctions(services);
            return new TestDispatcher(Objects.requireNonNull(functions));
        }
    }

    @Override
    public void close() throws IOException {
        opened.reversed().forEach(Runnable::run);
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
