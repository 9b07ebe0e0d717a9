package org.jbmi.rig.zoidfs;

import org.jbmi.tools.cli.ChildJvm;
import org.jbmi.tools.cli.ToolException;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server in a process of its own, which prints {@code ready} and its address. */
final class Child implements AutoCloseable {
    private static final String READY = "ready ";
    private static final long END_S = 10;

    private final Process process;
    private String address = "";

    private Child(Process process) {
        this.process = process;
    }

    /** Starts it; does not wait for it. */
    static Child start(Class<?> main, List<String> arguments) throws IOException {
        List<String> command =
                ChildJvm.command(main, List.of("-XX:+UseSerialGC", "-Xmn64m", "-Xmx1g"));
        command.addAll(arguments);
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        return new Child(process);
    }

    /** Waits until it has an address. */
    void awaitReady() throws IOException, ToolException {
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        String line = out.readLine();
        if (line == null || !line.startsWith(READY)) {
            process.destroyForcibly();
            throw new ToolException("A server to be measured did not start; it said: " + line);
        }
        address = line.substring(READY.length());
    }

    String address() {
        return address;
    }

    /** The processor time of the process until now. */
    Duration cpuTime() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Ends it with a signal, so that it cleans up. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(END_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
