package org.jbmi.tools.zoid;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.tools.cli.Assignments;
import org.jbmi.tools.cli.EndInOrder;
import org.jbmi.tools.cli.ListenAddresses;
import org.jbmi.tools.cli.Misuse;
import org.jbmi.tools.cli.Sentences;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zoid.daemon.ZoidConfiguration;
import org.jbmi.zoid.daemon.ZoidDaemon;
import org.jbmi.zoid.daemon.ZoidSettings;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** The command {@code zoid serve}. */
@Command(
        name = "serve",
        versionProvider = ToolVersion.class,
        description = {
            "Runs the functions of plug-ins for other processes.",
            "",
            "Prints 'ready' and its addresses when it listens, and the plug-ins. A setting"
                    + " without an option comes from the environment, else from the file. For"
                    + " plug-ins of your own add their jars with JBMI_CLASS_PATH. SIGTERM and"
                    + " Ctrl-C end the server in order, with exit status 0.",
            ""
        })
public final class ServeCommand extends ToolCommand implements Callable<Integer> {
    private static final String ROOT = "unix.root";

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description =
                    "A configuration file in the form of a shell script: lines like"
                            + " ZOID_BUFFER_SIZE=4096:4195328.")
    private @Nullable Path file;

    @Option(
            names = {"-b", "--buffer-size"},
            paramLabel = "SMALL[:LARGE]",
            description =
                    "ZOID_BUFFER_SIZE: the sizes of the server's small and large buffers, in bytes."
                            + " The larger size is the limit of a request or reply. If you give"
                            + " one size, all buffers have it. Default: 4096:4195328.")
    private @Nullable String bufferSize;

    @Option(
            names = {"-a", "--ack-threshold"},
            paramLabel = "PACKETS",
            description =
                    "ZOID_ACK_THRESHOLD: the server receives requests larger than so many packets"
                            + " of 240 bytes one at a time. Default: 0, for never.")
    private @Nullable String ackThreshold;

    @Option(
            names = {"-m", "--modules"},
            paramLabel = "NAME[:NAME...]",
            description = "ZOID_MODULES: the plug-ins to load. Default: unix:mapping.")
    private @Nullable String modules;

    @Option(
            names = {"-n", "--enable-nat"},
            description =
                    "ZOID_ENABLE_NAT: let processes send UDP to other hosts. If ZOID_NAT_SCRIPT"
                            + " names a script, the server runs it before each job.")
    private boolean enableNat;

    @Option(
            names = "--live",
            description =
                    "ZOID_LIVE_MODULES: let 'zoid modules' load and unload plug-ins while the"
                            + " server runs.")
    private boolean live;

    @Option(
            names = {"-u", "--user-script"},
            paramLabel = "PATH",
            description =
                    "ZOID_USER_SCRIPT: runs with the argument 1 before a job, and with 0 after it."
                            + " Default: ~/zoid-user-script.sh, if it is there.")
    private @Nullable String userScript;

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description =
                    "A setting of a plug-in: unix.root, the folder at which paths begin;"
                            + " zoidfs.server, the address of the zoidfs server to forward to;"
                            + " mapping.sizes, like 8x4x4x1. May be given several times.")
    private List<String> settings = new ArrayList<>();

    /** What the daemon said before it was known to have something to serve. */
    private final List<String> held = new ArrayList<>();

    private boolean serves;

    @Mixin private MethodKnobs knobs = new MethodKnobs();

    @Parameters(
            paramLabel = "ADDRESS",
            arity = "0..*",
            description = "Where to listen, for example tcp://127.0.0.1:3335. Default: zoid://.")
    private List<String> addresses = new ArrayList<>();

    @Override
    public Integer call() throws ToolException, IOException, InterruptedException {
        if (addresses.isEmpty()) {
            addresses.add("zoid://");
        }
        ZoidSettings wanted = wanted();
        ListenAddresses listening = new ListenAddresses(addresses);
        checkRoot(wanted, listening);
        if (addresses.stream().anyMatch(each -> each.matches("loopback[:-].*"))) {
            throw wrongUse("loopback does not leave its process: no client could reach the server");
        }
        String trouble = listening.trouble();
        if (trouble != null) {
            throw wrongUse(trouble);
        }
        BmiBuilder builder = knobs.builder(this::wrongUse);
        if (listening.hasTcp()) {
            builder.knob("tcp.bindSpecific", "true");
        }
        addresses.forEach(builder::listen);
        EndInOrder end = new EndInOrder();
        try (Bmi bmi = Misuse.check(this::wrongUse, builder::open);
                ZoidDaemon daemon = serve(bmi, wanted)) {
            checkPlugins(daemon, wanted);
            sayHeld();
            end.listen();
            PrintWriter out = spec().commandLine().getOut();
            out.println("ready " + listening.resolved(bmi));
            out.println("plug-ins: " + String.join(", ", daemon.plugins()));
            showReady(out);
            end.await();
        } finally {
            end.over();
        }
        return 0;
    }

    /** What the daemon says; at its start this may become the error of the command. */
    private synchronized void say(String sentence) {
        held.add(sentence);
        if (serves) {
            sayHeld();
        }
    }

    private synchronized void sayHeld() {
        serves = true;
        PrintWriter err = spec().commandLine().getErr();
        held.forEach(sentence -> err.println("zoid serve: " + sentence));
        held.clear();
    }

    private ZoidDaemon serve(Bmi bmi, ZoidSettings wanted) throws ToolException {
        try {
            return ZoidDaemon.serve(bmi, wanted, this::say);
        } catch (IllegalArgumentException e) {
            // A plug-in that is broken is so whatever the command line says.
            Throwable cause = e.getCause();
            boolean isSetting = cause == null || cause instanceof IllegalArgumentException;
            if (isSetting && !settings.isEmpty()) {
                throw wrongUse(e.getMessage());
            }
            sayHeld();
            throw new ToolException(String.valueOf(e.getMessage()), e);
        } catch (RuntimeException | Error e) {
            sayHeld();
            throw e;
        }
    }

    /** A server without plug-ins, and that can load none, answers no call. */
    private synchronized void checkPlugins(ZoidDaemon daemon, ZoidSettings wanted)
            throws ToolException {
        if (!daemon.plugins().isEmpty() || wanted.live()) {
            return;
        }
        String sentence = String.join(" ", held).replace(": its calls fail with ENOSYS", "");
        if (modules != null) {
            throw wrongUse(sentence);
        }
        throw new ToolException(sentence);
    }

    /** The settings of options, environment and file together. */
    ZoidSettings wanted() throws ToolException {
        Map<String, String> variables = new LinkedHashMap<>();
        Map<String, String> options = options();
        Path home = Path.of(System.getProperty("user.home"));
        try {
            ZoidConfiguration.settings(options, home);
        } catch (IllegalArgumentException e) {
            throw wrongUse(
                    String.valueOf(e.getMessage())
                            .replace(ZoidConfiguration.BUFFER_SIZE, "-b")
                            .replace(ZoidConfiguration.ACK_THRESHOLD, "-a")
                            .replace(ZoidConfiguration.MODULES, "-m"));
        }
        try {
            if (file != null) {
                variables.putAll(ZoidConfiguration.read(file));
            }
            variables.putAll(ZoidConfiguration.ofEnvironment(System.getenv()));
            variables.putAll(options);
            ZoidSettings wanted = ZoidConfiguration.settings(variables, home);
            for (Map.Entry<String, String> own :
                    Assignments.parse("--set", settings, this::wrongUse).entrySet()) {
                wanted = wanted.withPluginSetting(own.getKey(), own.getValue());
            }
            return wanted;
        } catch (IOException e) {
            throw new ToolException(
                    "The configuration file " + file + " cannot be read. " + Sentences.of(e), e);
        } catch (IllegalArgumentException e) {
            throw new ToolException(String.valueOf(e.getMessage()), e);
        }
    }

    private Map<String, String> options() {
        Map<String, String> options = new LinkedHashMap<>();
        put(options, ZoidConfiguration.BUFFER_SIZE, bufferSize);
        put(options, ZoidConfiguration.ACK_THRESHOLD, ackThreshold);
        put(options, ZoidConfiguration.MODULES, modules);
        put(options, ZoidConfiguration.USER_SCRIPT, userScript);
        put(options, ZoidConfiguration.ENABLE_NAT, enableNat ? "1" : null);
        put(options, ZoidConfiguration.LIVE_MODULES, live ? "1" : null);
        return options;
    }

    private static void put(Map<String, String> variables, String name, @Nullable String value) {
        if (value != null) {
            variables.put(name, value);
        }
    }

    /** Other users may reach a port, so the files that they may reach must be named. */
    private void checkRoot(ZoidSettings wanted, ListenAddresses listening) {
        if (listening.hasTcp()
                && (wanted.live() || wanted.modules().contains("unix"))
                && !wanted.plugins().containsKey(ROOT)) {
            throw wrongUse(
                    "Over tcp every program that reaches the port gets the files of the plug-in"
                            + " unix: say which, with --set unix.root=DIR");
        }
    }
}
