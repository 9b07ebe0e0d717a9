package org.jbmi.tools.demo.worker;

import org.jbmi.tools.cli.LibraryFlags;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line that starts a worker on the same JDK and the same classes as this process. */
public final class WorkerCommandLine {
    /** Set by the launcher: a cache of loaded classes, with which a JVM starts in half the time. */
    private static final String CACHE_PROPERTY = "org.jbmi.tools.aotCache";

    private WorkerCommandLine() {}

    /**
     * Makes a command line.
     *
     * @param settings of the worker
     * @return program and arguments
     */
    public static List<String> of(WorkerSettings settings) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Many small processes on few processors: little heap, one collector thread.
        command.addAll(List.of("-XX:+UseSerialGC", "-Xmx256m", "-XX:-UsePerfData"));
        // Where else the JDK and the library look for temporary files, if it is not the usual
        // place.
        command.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir", "/tmp"));
        // The prefix of the worker says enough about who logs.
        command.add("-Djava.util.logging.SimpleFormatter.format=%5$s%n");
        addCache(command);
        addClasses(command);
        command.addAll(settings.toArguments());
        return command;
    }

    private static void addCache(List<String> command) {
        String cache = System.getProperty(CACHE_PROPERTY);
        if (cache != null) {
            // A cache that does not fit is not used; that is nothing to talk about.
            command.addAll(
                    List.of(
                            "-XX:AOTCache=" + cache,
                            "-Xlog:disable",
                            "-Xlog:all=error,aot*=off,cds*=off:stderr"));
        }
    }

    private static void addClasses(List<String> command) {
        String modulePath = System.getProperty("jdk.module.path");
        String classPath = System.getProperty("java.class.path", "");
        String main = DemoWorkerMain.class.getName();
        Module module = DemoWorkerMain.class.getModule();
        if (modulePath != null && module.isNamed()) {
            command.addAll(
                    List.of(
                            "--enable-native-access=org.jbmi.mempool",
                            "--module-path",
                            modulePath,
                            "--module",
                            module.getName() + "/" + main));
        } else {
            command.addAll(LibraryFlags.CHRONICLE);
            command.addAll(
                    List.of("--enable-native-access=ALL-UNNAMED", "--class-path", classPath, main));
        }
    }
}
