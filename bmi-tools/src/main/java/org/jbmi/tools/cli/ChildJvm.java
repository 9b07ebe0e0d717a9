package org.jbmi.tools.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Command lines of further JVMs with the JDK and the classes of this one. */
public final class ChildJvm {
    /**
     * The launcher sets this property: a cache of loaded classes, with which a JVM starts in half
     * the time.
     */
    private static final String CACHE_PROPERTY = "org.jbmi.tools.aotCache";

    /** Options for each JVM that is started from here, with spaces between them. */
    private static final String OPTIONS_PROPERTY = "org.jbmi.tools.workerOptions";

    /** What Chronicle Queue needs, for a journal or as a channel; harmless for other programs. */
    public static final List<String> CHRONICLE_OPTIONS =
            List.of(
                    "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
                    "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
                    "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow");

    private ChildJvm() {}

    /**
     * Makes a command line, to which arguments of the program are added.
     *
     * @param main the program
     * @param options of the virtual machine, beside those that the library needs
     * @return a list that may be changed
     */
    public static List<String> command(Class<?> main, List<String> options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:-UsePerfData");
        // The directory for temporary files of the JDK and the library, if it is not the default.
        command.add("-Djava.io.tmpdir=" + PrivateDirectory.temporary());
        Stream.of(System.getProperty(OPTIONS_PROPERTY, "").split(" "))
                .filter(option -> !option.isEmpty())
                .forEach(command::add);
        command.addAll(options);
        addClasses(command, main);
        return command;
    }

    /** {@return the options for the cache of loaded classes, if there is one} */
    public static List<String> cacheOptions() {
        String cache = System.getProperty(CACHE_PROPERTY);
        // The JVM does not use a cache that does not fit; the user needs no message.
        return cache == null
                ? List.of()
                : List.of(
                        "-XX:AOTCache=" + cache,
                        "-Xlog:disable",
                        "-Xlog:all=error,aot*=off,cds*=off:stderr");
    }

    private static void addClasses(List<String> command, Class<?> main) {
        String modulePath = System.getProperty("jdk.module.path");
        Module module = main.getModule();
        if (modulePath != null && module.isNamed()) {
            command.addAll(
                    List.of(
                            "--enable-native-access=org.jbmi.mempool",
                            "--module-path",
                            modulePath,
                            "--module",
                            module.getName() + "/" + main.getName()));
        } else {
            command.addAll(CHRONICLE_OPTIONS);
            command.addAll(
                    List.of(
                            "--enable-native-access=ALL-UNNAMED",
                            "--class-path",
                            System.getProperty("java.class.path", ""),
                            main.getName()));
        }
    }
}
