package org.jbmi.tools.zbmi;

import org.jbmi.BmiException;
import org.jbmi.config.Configuration;
import org.jbmi.tools.cli.Assignments;
import org.jbmi.tools.cli.Misuse;
import org.jbmi.tools.cli.Requirements;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.tools.text.Quantities;
import org.jbmi.zbmi.daemon.DaemonKnobs;
import org.jbmi.zbmi.daemon.ZbmiDaemon;
import org.jbmi.zbmi.host.place.HostKnobs;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** The command {@code zbmi serve}. */
@Command(
        name = "serve",
        versionProvider = ToolVersion.class,
        description = {
            "Runs the zoid daemon in the foreground.",
            "",
            "Prints one line when it is ready, and one for each address for"
                    + " remote clients. SIGTERM and Ctrl-C end it cleanly, with exit"
                    + " status 0.",
            ""
        })
public final class ServeCommand extends DaemonCommand implements Callable<Integer> {
    private static final long HEALTH_CHECK_MS = 1_000;

    @Option(
            names = "--knob",
            paramLabel = "NAME=VALUE",
            description = "Sets a knob of the daemon, see 'bmi info'. May be given several times.")
    private List<String> settings = new ArrayList<>();

    @Option(
            names = "--channel",
            paramLabel = "NAME",
            description =
                    "The only command channel that a server may use: ring, posix-mq, chronicle, or"
                            + " one that is plugged in. It is checked now. Default: the server's"
                            + " choice.")
    private @Nullable String channel;

    @Override
    public Integer call() throws ToolException, InterruptedException {
        ZbmiDaemon.Builder builder = ZbmiDaemon.builder();
        Requirements.zoid("");
        knobs().forEach(builder::knob);
        try (ZbmiDaemon daemon = builder.start()) {
            CountDownLatch ending = new CountDownLatch(1);
            Runtime.getRuntime()
                    .addShutdownHook(Thread.ofPlatform().unstarted(() -> end(daemon, ending)));
            announce(daemon);
            awaitEnd(daemon, ending);
        }
        return 0;
    }

    /** Waits until a signal ends the daemon, which ends its threads too. */
    static void awaitEnd(ZbmiDaemon daemon, CountDownLatch ending)
            throws ToolException, InterruptedException {
        while (daemon.isHealthy()) {
            Thread.sleep(HEALTH_CHECK_MS);
        }
        if (ending.getCount() > 0) {
            throw new ToolException(
                    "The daemon has failed: one of its threads ended. The log says why; start it"
                            + " again.");
        }
    }

    /**
     * The knobs of the command line; a wrong value there is wrong use, a wrong value from elsewhere
     * is not.
     */
    private Map<String, String> knobs() {
        Map<String, String> knobs = runtimeKnob();
        if (channel != null) {
            Misuse.checkChannel(this::wrongUse, channel);
            knobs.put(HostKnobs.COMMAND_CHANNEL.name(), channel);
        }
        knobs.putAll(Assignments.parse("--knob", settings, this::wrongUse));
        try {
            Configuration.resolve(DaemonKnobs.all(), knobs, name -> null, name -> null);
        } catch (BmiException e) {
            throw wrongUse(Misuse.sentence(e));
        }
        return knobs;
    }

    private void announce(ZbmiDaemon daemon) throws ToolException {
        PrintWriter out = spec().commandLine().getOut();
        out.printf(
                "zbmi: daemon %d is ready in %s with a pool of %s.%n",
                ProcessHandle.current().pid(),
                daemon.directory().path(),
                Quantities.bytes(daemon.configuration().get(HostKnobs.TOTAL_BYTES)));
        for (String address : daemon.gatewayAddresses()) {
            out.printf("zbmi: remote clients are served at %s.%n", address);
        }
        showReady(out);
    }

    /** Ends with status 0, because a signal is not a failure; a daemon that has failed is one. */
    static void end(ZbmiDaemon daemon, CountDownLatch ending) {
        boolean isHealthy = daemon.isHealthy();
        if (isHealthy) {
            ending.countDown();
        }
        try {
            daemon.close();
        } catch (OutOfMemoryError e) {
            daemon.close(); // it goes on from there
        }
        if (isHealthy) {
            Runtime.getRuntime().halt(0);
        }
    }
}
