package org.jbmi.testsuite.support;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Further virtual machines of a test, on the JDK and the class path of this one, and with the
 * modules opened that are open here. They start quickly. In modules that ask for it they map the
 * classes of a {@linkplain ClassArchive class archive}.
 */
public final class ChildJvm {
    /** The option that lets a program call the system; a program without it takes it away. */
    public static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

    private static final String COMPILER = "-XX:TieredStopAtLevel=";
    private static final String SCALING = "-XX:CompileThresholdScaling=";

    /**
     * The compiler waits ten times as long as it would: most methods of a short process are not
     * worth it. Large pages, where the system has them, spare the process thousands of page faults.
     */
    private static final List<String> QUICK =
            List.of(
                    COMPILER + "1",
                    SCALING + "10",
                    "-XX:+UseSerialGC",
                    "-XX:-UsePerfData",
                    "-Xshare:auto",
                    "-XX:+UseTransparentHugePages",
                    "-XX:-PrintWarnings");

    /** What the programs of the project give to the workers that they start. */
    private static final String WORKER_OPTIONS = "org.jbmi.tools.workerOptions";

    private ChildJvm() {}

    /**
     * Where the program {@code java} of this JDK is.
     *
     * @return an absolute path
     */
    public static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /**
     * The command line of a program.
     *
     * @param main its class
     * @param options of the virtual machine; they win over those that it gets anyway
     * @param arguments of the program
     * @return a list that may be changed
     */
    public static List<String> command(Class<?> main, List<String> options, String... arguments) {
        List<String> flags = flags();
        List<String> archive = ClassArchive.options(flags);
        List<String> command = new ArrayList<>(flags);
        command.addAll(archive);
        command.add("-D" + WORKER_OPTIONS + "=" + workerOptions(archive, options));
        command.addAll(compiler(options));
        command.addAll(options);
        String path = archive.isEmpty() ? ClassArchive.wholePath() : ClassArchive.jarsFirst();
        command.addAll(List.of("-cp", path, main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** The program {@code java} with all options that each of them gets. */
    private static List<String> flags() {
        List<String> flags = new ArrayList<>(List.of(java()));
        flags.addAll(QUICK);
        flags.add(NATIVE_ACCESS);
        flags.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("--add-") || flag.startsWith("--sun-misc-"))
                .forEach(flags::add);
        return flags;
    }

    /** In the long form workers have both compilers, as where users start them. */
    private static String workerOptions(List<String> archive, List<String> options) {
        List<String> passed = new ArrayList<>(archive);
        if (!Boolean.getBoolean("jbmi.long")) {
            passed.addAll(QUICK);
            passed.addAll(compiler(options));
        }
        return String.join(" ", passed);
    }

    /** The options that choose a compiler; it then compiles as early as it does for users. */
    private static List<String> compiler(List<String> options) {
        return options.stream()
                .filter(option -> option.startsWith(COMPILER))
                .flatMap(option -> Stream.of(option, SCALING + "1"))
                .toList();
    }

    /**
     * Starts a program. What it writes on its standard error appears on that of this process.
     *
     * @param main its class
     * @param options of the virtual machine
     * @param arguments of the program
     * @return the process, to be ended by the caller
     * @throws IOException if it cannot be started
     */
    public static Process start(Class<?> main, List<String> options, String... arguments)
            throws IOException {
        return new ProcessBuilder(command(main, options, arguments))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
