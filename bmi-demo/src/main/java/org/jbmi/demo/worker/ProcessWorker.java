package org.jbmi.demo.worker;

import org.jbmi.tools.cli.ChildJvm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A worker that is a process of its own, on the same JDK and the same classes as this one. */
public final class ProcessWorker implements Worker {
    private static final int SIGNAL_BASE = 128;
    private static final int MAX_SIGNAL = 64;

    private final String name;
    private final Process process;
    private final WorkerListener listener;

    private ProcessWorker(String name, Process process, WorkerListener listener) {
        this.name = name;
        this.process = process;
        this.listener = listener;
    }

    /**
     * Starts a process.
     *
     * @param role its name, without its process id
     * @param settings what it is told
     * @param listener takes its events; its standard error comes as {@link WorkerEvent.Kind#SAID}
     * @throws IOException if it cannot be started
     */
    public static ProcessWorker start(String role, WorkerSettings settings, WorkerListener listener)
            throws IOException {
        Process process = new ProcessBuilder(command(settings)).start();
        String name = role + " (pid " + process.pid() + ")";
        ProcessWorker worker = new ProcessWorker(name, process, listener);
        Thread errors =
                Thread.ofPlatform().name(role + " errors").daemon().start(worker::pumpErrors);
        Thread.ofPlatform().name(role + " events").daemon().start(() -> worker.pumpEvents(errors));
        return worker;
    }

    private static List<String> command(WorkerSettings settings) {
        // Many small processes on few processors: little heap, one collector thread.
        List<String> options = new ArrayList<>(List.of("-XX:+UseSerialGC", "-Xmx256m"));
        // The coordinator prefixes each line with the worker's name.
        options.add("-Djava.util.logging.SimpleFormatter.format=%5$s%n");
        options.addAll(ChildJvm.cacheOptions());
        List<String> command = ChildJvm.command(DemoWorkerMain.class, options);
        command.addAll(settings.toArguments());
        return command;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void command(WorkerCommand command) {
        try {
            OutputStream in = process.getOutputStream();
            in.write((command.line() + "\n").getBytes(StandardCharsets.UTF_8));
            in.flush();
        } catch (IOException e) {
            // It has ended, as its last event says.
            kill();
        }
    }

    @Override
    public boolean awaitEnd(long timeoutMs) throws InterruptedException {
        return process.waitFor(timeoutMs, TimeUnit.MILLISECONDS);
    }

    @Override
    public void kill() {
        // By its handle, because Process.destroy closes the streams, and the last events would be
        // lost.
        process.toHandle().destroyForcibly();
    }

    private void pumpEvents(Thread errors) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line; (line = lines.readLine()) != null; ) {
                listener.heard(this, WorkerEvent.parse(line));
            }
            errors.join();
            process.waitFor();
        } catch (IOException e) {
            listener.heard(this, said(e.toString()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            listener.heard(this, WorkerEvent.of(WorkerEvent.Kind.ENDED, howItEnded()));
        }
    }

    private void pumpErrors() {
        try (BufferedReader lines = process.errorReader(StandardCharsets.UTF_8)) {
            for (String line; (line = lines.readLine()) != null; ) {
                listener.heard(this, said(line));
            }
        } catch (IOException e) {
            listener.heard(this, said(e.toString()));
        }
    }

    private static WorkerEvent said(String text) {
        return WorkerEvent.of(WorkerEvent.Kind.SAID, text);
    }

    private String howItEnded() {
        if (process.isAlive()) {
            return "closed its output";
        }
        int status = process.exitValue();
        if (status > SIGNAL_BASE && status <= SIGNAL_BASE + MAX_SIGNAL) {
            return "was ended by signal " + (status - SIGNAL_BASE);
        }
        return status == 0 ? "ended" : "ended with status " + status;
    }
}
