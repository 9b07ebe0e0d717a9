package org.jbmi.tools.zoidfs;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.tools.cli.Assignments;
import org.jbmi.tools.cli.EndInOrder;
import org.jbmi.tools.cli.ListenAddresses;
import org.jbmi.tools.cli.Misuse;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.server.ZoidfsServer;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;
import org.jbmi.zoidfs.server.config.UserRights;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/** The command {@code zoidfs serve}. */
@Command(
        name = "serve",
        versionProvider = ToolVersion.class,
        description = {
            "Serves a folder to zoidfs clients, IOFSL's own C clients among them.",
            "",
            "Prints 'ready' and its addresses when it listens. A path of a client begins at the"
                    + " folder, and nothing outside of it can be reached. SIGTERM and Ctrl-C end"
                    + " the server in order, with exit status 0.",
            ""
        })
public final class ServeCommand extends ToolCommand implements Callable<Integer> {
    private static final long POOL_MARGIN_BYTES = 16 << 20;
    private static final int MAX_PORT = 65_535;

    @Option(
            names = "--export",
            paramLabel = "DIR",
            required = true,
            description = "The folder to be served.")
    private Path export;

    @Option(names = "--read-only", description = "Refuse all changes of files.")
    private boolean readOnly;

    @Option(
            names = "--dialect",
            paramLabel = "NAME",
            defaultValue = "main",
            description =
                    "The form of the replies: main, or sfp for clients of that branch of IOFSL,"
                            + " with hints in replies. Default: ${DEFAULT-VALUE}.")
    private String dialect;

    @Option(
            names = "--as",
            paramLabel = "USER",
            description = "Access files with the rights of this user; for root only.")
    private @Nullable String user;

    @Option(
            names = "--state",
            paramLabel = "DIR",
            description =
                    "The folder for the key of the handles, so that they survive a"
                            + " restart. Default: $XDG_STATE_HOME/jbmi/zoidfs or"
                            + " ~/.local/state/jbmi/zoidfs.")
    private @Nullable Path state;

    @Option(
            names = "--metrics",
            paramLabel = "PORT",
            description =
                    "Serve the counters in the text format of Prometheus, by HTTP"
                            + " on the loopback interface.")
    private @Nullable Integer metricsPort;

    @Option(
            names = "--knob",
            paramLabel = "NAME=VALUE",
            description = "Sets a knob of a method, see 'bmi info'. May be given several times.")
    private List<String> knobs = new ArrayList<>();

    @Parameters(
            paramLabel = "ADDRESS",
            arity = "1..*",
            description = "Where to listen, for example tcp://127.0.0.1:3334 or zoid://.")
    private List<String> addresses = new ArrayList<>();

    @Override
    public Integer call() throws ToolException, IOException, InterruptedException {
        Dialect spoken = spokenDialect();
        if (metricsPort != null && (metricsPort < 0 || metricsPort > MAX_PORT)) {
            throw wrongUse("--metrics takes a port, 0 to " + MAX_PORT);
        }
        Limits limits = Limits.DEFAULT;
        UserRights rights = rights();
        ListenAddresses listening = new ListenAddresses(addresses);
        BmiBuilder builder = builder(limits, listening);
        EndInOrder end = new EndInOrder();
        try (Bmi bmi = Misuse.check(this::wrongUse, builder::open);
                ZoidfsServer server = ZoidfsServer.serve(bmi, settings(rights), spoken, limits);
                MetricsPage page = metricsPage(server)) {
            end.listen();
            PrintWriter out = spec().commandLine().getOut();
            out.println("ready " + listening.resolved(bmi));
            if (!server.handlesOutliveRestart()) {
                out.println("Handles end with this server: the file system has none of its own.");
            }
            if (page != null) {
                out.println("metrics " + page.address());
            }
            showReady(out);
            end.await();
        } finally {
            end.over();
        }
        return 0;
    }

    private @Nullable UserRights rights() throws InterruptedException {
        try {
            return user == null ? null : UserRights.of(user);
        } catch (IOException e) {
            throw wrongUse(e.getMessage());
        }
    }

    private ExportSettings settings(@Nullable UserRights rights) {
        return ExportSettings.of(export, key()).withReadOnly(readOnly).withUser(rights);
    }

    /** Open before the server says that it is ready, since a port that is taken ends it. */
    private @Nullable MetricsPage metricsPage(ZoidfsServer server) throws IOException {
        return metricsPort == null ? null : MetricsPage.open(metricsPort, server::toPrometheus);
    }

    private Dialect spokenDialect() {
        for (Dialect each : Dialect.values()) {
            if (each.label().equals(dialect.toLowerCase(Locale.ROOT))) {
                return each;
            }
        }
        throw wrongUse("--dialect is main or sfp, not " + dialect);
    }

    private BmiBuilder builder(Limits limits, ListenAddresses listening) {
        BmiBuilder builder = Bmi.builder().automaticReferences(true);
        String trouble = listening.trouble();
        if (trouble != null) {
            throw wrongUse(trouble);
        }
        if (listening.hasTcp()) {
            builder.knob("tcp.bindSpecific", "true");
            builder.knob("tcp.poolBytes", Long.toString(limits.memoryBytes() + POOL_MARGIN_BYTES));
        }
        Assignments.parse("--knob", knobs, this::wrongUse).forEach(builder::knob);
        addresses.forEach(builder::listen);
        return builder;
    }

    /**
     * The key; if it cannot be kept in a file the server also runs, and its handles end with it.
     */
    private ExportKey key() {
        Path folder = state;
        if (folder == null) {
            String base = System.getenv("XDG_STATE_HOME");
            folder = // a relative one is to be ignored
                    base == null || !base.startsWith("/")
                            ? Path.of(System.getProperty("user.home"), ".local", "state")
                            : Path.of(base);
            folder = folder.resolve("jbmi").resolve("zoidfs");
        }
        try {
            return ExportKey.inFile(folder.resolve("handle-key"));
        } catch (IOException | UnsupportedOperationException e) {
            spec().commandLine()
                    .getErr()
                    .println(
                            "zoidfs: handles end with this server, since the key cannot be kept: "
                                    + e.getMessage());
            return ExportKey.random();
        }
    }
}
