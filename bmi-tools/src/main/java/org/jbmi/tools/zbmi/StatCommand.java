package org.jbmi.tools.zbmi;

import org.jbmi.observe.CountersReader;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.daemon.StatReport;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** The command {@code zbmi stat}. */
@Command(
        name = "stat",
        versionProvider = ToolVersion.class,
        description = {
            "Shows the traffic of a running daemon, or of a server that runs the"
                    + " engine, read from its counters file.",
            "",
            "The layout is that of ZOID's statquery: sent is what went to clients, received what"
                    + " came from them; Total is the sum of all others; Plugin "
                    + StatReport.ZBMI_PLUGIN
                    + " is zbmi.",
            ""
        })
public final class StatCommand extends DaemonCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "SECONDS",
            description =
                    "Show it again each time after this many seconds, until" + " interrupted.")
    private @Nullable Integer seconds;

    @Option(names = "--counters", description = "Show every counter by its own name instead.")
    private boolean counters;

    @Override
    public Integer call() throws ToolException, InterruptedException {
        Integer interval = seconds;
        if (interval != null && interval < 1) {
            throw wrongUse("The interval is 1 second or more, not " + interval);
        }
        RuntimeDirectory directory = directory();
        PrintWriter out = spec().commandLine().getOut();
        print(out, directory);
        while (interval != null && !out.checkError()) {
            TimeUnit.SECONDS.sleep(interval);
            out.println();
            print(out, directory);
        }
        return 0;
    }

    private void print(PrintWriter out, RuntimeDirectory directory) throws ToolException {
        checkAlive(directory);
        if (counters) {
            for (CountersReader.Reading reading : StatReport.counters(directory)) {
                out.printf(
                        "%-48s%s %s%n",
                        reading.spec().label() + ":",
                        Long.toUnsignedString(reading.value()),
                        reading.spec().unit());
            }
        } else {
            out.print(StatReport.read(directory).format());
        }
        out.flush();
    }
}
