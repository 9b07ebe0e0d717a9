package org.jbmi.zoidfs.server;

import org.jbmi.testsuite.support.ChildJvm;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A server in a process of its own, which can be killed. */
final class ServerProcess implements AutoCloseable {
    private static final String ANY_PORT = "tcp://127.0.0.1:0";

    private final Process process;
    private final int port;

    private ServerProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** What starts {@link #main} in a JVM. */
    static List<String> command(Class<?> program, String... arguments) {
        return ChildJvm.command(program, List.of("-Xmx256m"), arguments);
    }

    static ServerProcess start(Path export, Path key) throws IOException {
        return start(export, key, Dialect.MAIN);
    }

    static ServerProcess start(Path export, Path key, Dialect dialect) throws IOException {
        return start(
                command(
                        ServerProcess.class,
                        export.toString(),
                        key.toString(),
                        ANY_PORT,
                        dialect.name()));
    }

    /** Starts it by a command that ends with that of {@link #command}. */
    static ServerProcess start(List<String> command) throws IOException {
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        BufferedReader out = process.inputReader();
        String line = out.readLine();
        if (line == null || !line.startsWith("ready ")) {
            process.destroyForcibly();
            throw new IOException("The server said " + line);
        }
        return new ServerProcess(process, Integer.parseInt(line.substring("ready ".length())));
    }

    int port() {
        return port;
    }

    String address() {
        return "tcp://127.0.0.1:" + port;
    }

    /** Ends it as a power failure would, but that the system lives. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
    }

    long pid() {
        return process.pid();
    }

    /**
     * The folder, the key, perhaps an address, and perhaps a dialect behind it. Serves until its
     * input ends, which it does with the test at the latest.
     */
    public static void main(String[] arguments) throws IOException {
        ExportKey key = ExportKey.inFile(Path.of(arguments[1]));
        try (TestServer server =
                TestServer.at(
                        arguments.length > 2 ? arguments[2] : ANY_PORT,
                        Path.of(arguments[0]),
                        arguments.length > 3 ? Dialect.valueOf(arguments[3]) : Dialect.MAIN,
                        settings -> ExportSettings.of(settings.folder(), key),
                        Limits.DEFAULT)) {
            System.out.println("ready " + server.port());
            while (System.in.read() >= 0) {
                // Only the end is of interest.
            }
        }
    }
}
