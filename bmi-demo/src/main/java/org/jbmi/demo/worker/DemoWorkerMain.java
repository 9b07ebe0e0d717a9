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
 * The program of one worker process. It ends when it is told to, when its standard input ends, on
 * SIGTERM and on Ctrl-C, each time leaving nothing behind.
 */
public final class DemoWorkerMain {
    /** The first argument of the process that runs the daemon. */
    public static final String DAEMON = "daemon";

    /** The first argument of the process that runs the forwarding server. */
    public static final String SERVER = "server";

    /** The first argument of a client is this and its number. */
    public static final String CLIENT = "client-";

    private static final long END_MS = 10_000;

    private DemoWorkerMain() {}

    /**
     * Runs a worker and ends the process: 0 if it did what it was told, 1 if not.
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

    /** Does what the coordinator would have done at the end, had it not been killed. */
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
