package org.jbmi.testsuite.support;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Further virtual machines of a test: on the JDK and the class path of this one, with the modules
 * opened that are open here, and quick to start.
 */
public final class ChildJvm {
    /** The option that lets a program call the system; a program without it takes it away. */
    public static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

    private static final List<String> QUICK =
            List.of(
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-XX:-UsePerfData",
                    "-Xshare:auto");

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
        List<String> command = new ArrayList<>();
        command.add(java());
        command.addAll(QUICK);
        command.add(NATIVE_ACCESS);
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("--add-") || flag.startsWith("--sun-misc-"))
                .forEach(command::add);
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return command;
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
