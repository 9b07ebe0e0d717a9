package org.jbmi.zoidfs.server;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;
import org.jbmi.zoidfs.server.os.SystemCalls;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/** A server on a free port of the loopback interface. */
final class TestServer implements AutoCloseable {
    private final Bmi bmi;
    private final ZoidfsServer server;
    private final int port;

    private TestServer(Bmi bmi, ZoidfsServer server) {
        this.bmi = bmi;
        this.server = server;
        this.port = bmi.getOption(TcpOptions.PORT);
    }

    static TestServer of(Path folder) throws IOException {
        return of(folder, Dialect.MAIN, settings -> settings, Limits.DEFAULT);
    }

    static TestServer of(
            Path folder, Dialect dialect, UnaryOperator<ExportSettings> settings, Limits limits)
            throws IOException {
        return at("tcp://127.0.0.1:0", folder, dialect, settings, limits);
    }

    static TestServer at(
            String address,
            Path folder,
            Dialect dialect,
            UnaryOperator<ExportSettings> settings,
            Limits limits)
            throws IOException {
        ExportSettings export = settings.apply(ExportSettings.of(folder, ExportKey.random()));
        return open(address, bmi -> ZoidfsServer.serve(bmi, export, dialect, limits));
    }

    /** With system calls of the test's own. */
    static TestServer on(SystemCalls calls, Path folder, Limits limits) throws IOException {
        return on(calls, ExportSettings.of(folder, ExportKey.random()), limits);
    }

    /** The same, with settings. */
    static TestServer on(SystemCalls calls, ExportSettings export, Limits limits)
            throws IOException {
        return open(
                "tcp://127.0.0.1:0",
                bmi -> ZoidfsServer.serve(bmi, export, Dialect.MAIN, limits, calls));
    }

    /** With a knob of a method set. */
    static TestServer withKnob(Path folder, String name, String value) throws IOException {
        ExportSettings export = ExportSettings.of(folder, ExportKey.random());
        return open(
                builder("tcp://127.0.0.1:0").knob(name, value),
                bmi -> ZoidfsServer.serve(bmi, export, Dialect.MAIN, Limits.DEFAULT));
    }

    /** Makes a server on a BMI that listens. */
    private interface Serving {
        ZoidfsServer on(Bmi bmi) throws IOException;
    }

    private static BmiBuilder builder(String address) {
        return Bmi.builder()
                .automaticReferences(true)
                .knob("tcp.bindSpecific", "true")
                .knob("tcp.poolBytes", Long.toString(160L << 20))
                .listen(address);
    }

    private static TestServer open(String address, Serving serving) throws IOException {
        return open(builder(address), serving);
    }

    private static TestServer open(BmiBuilder builder, Serving serving) throws IOException {
        Bmi bmi = builder.open();
        try {
            return new TestServer(bmi, serving.on(bmi));
        } catch (IOException | RuntimeException e) {
            bmi.close();
            throw e;
        }
    }

    int port() {
        return port;
    }

    String address() {
        return "tcp://127.0.0.1:" + port;
    }

    ZoidfsServer server() {
        return server;
    }

    @Override
    public void close() {
        server.close();
        bmi.close();
    }
}
