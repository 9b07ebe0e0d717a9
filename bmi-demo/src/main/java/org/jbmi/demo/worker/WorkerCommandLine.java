package org.jbmi.demo.worker;

import org.jbmi.tools.cli.ChildJvm;

import java.util.ArrayList;
import java.util.List;

/** The command line that starts a worker on the same JDK and the same classes as this process. */
public final class WorkerCommandLine {
    private WorkerCommandLine() {}

    /** Makes a command line. */
    public static List<String> of(WorkerSettings settings) {
        // Many small processes on few processors: little heap, one collector thread.
        List<String> options = new ArrayList<>(List.of("-XX:+UseSerialGC", "-Xmx256m"));
        // The coordinator prefixes each line with the worker's name.
        options.add("-Djava.util.logging.SimpleFormatter.format=%5$s%n");
        options.addAll(ChildJvm.cacheOptions());
        List<String> command = ChildJvm.command(DemoWorkerMain.class, options);
        command.addAll(settings.toArguments());
        return command;
    }
}
