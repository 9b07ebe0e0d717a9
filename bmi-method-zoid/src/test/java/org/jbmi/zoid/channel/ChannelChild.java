package org.jbmi.zoid.channel;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.testsuite.support.ChildJvm;
import org.jbmi.zbmi.daemon.ZbmiDaemon;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** A daemon or an echo server in a process of its own, to be killed. It ends with its input. */
public final class ChannelChild implements AutoCloseable {
    private static final int SERVER_THREADS = 8;

    private final Process process;

    private ChannelChild(Process process) {
        this.process = process;
    }

    /** Starts one, and waits until it is ready. */
    static ChannelChild start(String what, Path directory, String channel) throws IOException {
        Process process =
                ChildJvm.start(ChannelChild.class, List.of(), what, directory.toString(), channel);
        BufferedReader out =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        if (!"ready".equals(line)) {
            process.destroyForcibly();
            throw new AssertionError("the child said " + line);
        }
        return new ChannelChild(process);
    }

    /** As {@code kill -9} does. */
    void kill() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        kill();
    }

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[1]);
        AutoCloseable whole =
                arguments[0].equals("daemon")
                        ? daemon(directory, arguments[2])
                        : new EchoServer(openServer(directory, arguments[2]), SERVER_THREADS);
        untilTheEnd();
        whole.close();
    }

    private static ZbmiDaemon daemon(Path directory, String channel) {
        return ZbmiDaemon.builder()
                .knob("zoid.runtimeDirectory", directory.resolve("run").toString())
                .knob("zbmi.segmentDirectory", directory.toString())
                .knob("zbmi.totalBytes", "16m")
                .knob("zbmi.commandChannel", channel)
                .start();
    }

    private static void untilTheEnd() throws IOException {
        System.out.println("ready");
        while (System.in.read() >= 0) {
            continue;
        }
    }

    /** A daemon takes a new server when it is sure that the old one can write no more. */
    static Bmi openServer(Path directory, String channel) throws InterruptedException {
        long end = System.nanoTime() + 10_000_000_000L;
        while (true) {
            try {
                return Bmi.builder()
                        .knob("zoid.runtimeDirectory", directory.resolve("run").toString())
                        .knob("zoid.host", "daemon")
                        .knob("zoid.commandChannel", channel)
                        .listen("zoid://")
                        .open();
            } catch (BmiException e) {
                if (e.code() != ErrorCode.EBUSY || System.nanoTime() - end > 0) {
                    throw e;
                }
                Thread.sleep(5);
            }
        }
    }
}
