package org.jbmi.demo.worker;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.tools.cli.Sentences;
import org.jbmi.tools.cli.Trees;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The main program of one worker process. It ends at a command, at the end of its standard input,
 * on SIGTERM and on Ctrl-C, and cleans up each time.
 */
public final class DemoWorkerMain {
    /** The first argument of the process that runs the daemon. */
    public static final String DAEMON = "daemon";

    /** The first argument of the process that runs the zoidfs server. */
    public static final String SERVER = "server";

    /** The first argument of a client is this and its number. */
    public static final String CLIENT = "client-";

    private static final long END_MS = 10_000;

    private DemoWorkerMain() {}

    /**
     * Runs a worker and ends the process, with status 0 or, after a failure, 1.
     *
     * @param args the role, then the settings of the demo
     */
    public static void main(String[] args) {
        StreamChannel channel = new StreamChannel(System.in, System.out);
        AtomicBoolean failed = new AtomicBoolean();
        Thread worker =
                Thread.ofPlatform()
                        .name("demo-worker")
                        .unstarted(() -> work(args, channel, failed));
        Thread ending = Thread.ofPlatform().unstarted(() -> end(channel, worker));
        Runtime.getRuntime().addShutdownHook(ending);
        worker.start();
        Thread.ofPlatform()
                .daemon()
                .name("demo-commands")
                .start(
                        () -> {
                            channel.pump();
                            end(channel, worker);
                            System.exit(failed.get() ? 1 : 0);
                        });
        try {
            worker.join();
        } catch (InterruptedException e) {
            failed.set(true);
        }
        System.exit(failed.get() ? 1 : 0);
    }

    private static void work(String[] args, StreamChannel channel, AtomicBoolean failed) {
        try {
            WorkerSettings settings = WorkerSettings.parse(Arrays.asList(args));
            try {
                role(settings).work(channel);
            } finally {
                if (channel.isOrphaned()) {
                    removeDirectories(settings);
                }
            }
        } catch (Exception | Error e) {
            failed.set(true);
            if (!channel.isStopped()) {
                channel.tell(WorkerEvent.of(WorkerEvent.Kind.FAILED, Sentences.of(e)));
            }
        }
    }

    /** Removes the directories, if the coordinator was killed and cannot. */
    private static void removeDirectories(WorkerSettings settings) throws IOException {
        if (!settings.role().startsWith(CLIENT)) {
            for (Path directory : settings.temporaries()) {
                Trees.delete(directory);
            }
        }
    }

    private static void end(StreamChannel channel, Thread worker) {
        channel.stop();
        try {
            if (!worker.join(Duration.ofMillis(END_MS))) {
                Runtime.getRuntime().halt(1);
            }
        } catch (InterruptedException e) {
            Runtime.getRuntime().halt(1);
        }
    }

    private static Role role(WorkerSettings settings) {
        if (settings.role().equals(DAEMON)) {
            return new DaemonRole(settings);
        }
        BmiBuilder builder = Bmi.builder();
        settings.knobs().forEach(builder::knob);
        if (settings.role().equals(SERVER)) {
            return new ServerRole(settings, builder);
        }
        int number = Integer.parseInt(settings.role().substring(CLIENT.length()));
        return new ClientRole(settings, number, builder);
    }
}
