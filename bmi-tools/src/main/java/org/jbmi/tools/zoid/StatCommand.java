package org.jbmi.tools.zoid;

import org.jbmi.Bmi;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zoid.daemon.Statistics;
import org.jbmi.zoid.daemon.ZoidAdmin;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** The command {@code zoid stat}. */
@Command(
        name = "stat",
        versionProvider = ToolVersion.class,
        description = {
            "Prints how many messages and bytes a server has sent and received, in all and by"
                    + " kind.",
            "",
            "The counters have 64 bits and wrap around. Total is the sum of the lines below it.",
            ""
        })
public final class StatCommand extends ToolCommand implements Callable<Integer> {
    @Mixin private ServerOption server = new ServerOption();
    @Mixin private MethodKnobs knobs = new MethodKnobs();

    @Option(
            names = "--prometheus",
            description = "Print the text format of Prometheus, for a collector of text files.")
    private boolean prometheus;

    @Parameters(
            paramLabel = "SECONDS",
            arity = "0..1",
            description =
                    "Print again each time after this many seconds, until it is"
                            + " ended. Default: once.")
    private @Nullable Integer seconds;

    @Override
    public Integer call() throws InterruptedException {
        if (seconds != null && seconds < 1) {
            throw wrongUse("SECONDS is 1 or more, not " + seconds);
        }
        PrintWriter out = spec().commandLine().getOut();
        try (Bmi bmi = knobs.open(this::wrongUse);
                ZoidAdmin admin = server.admin(bmi, this::wrongUse)) {
            while (true) {
                Statistics now = admin.statistics();
                if (prometheus) {
                    out.print(now.prometheus());
                } else {
                    now.lines().forEach(out::println);
                }
                out.flush();
                if (seconds == null || out.checkError()) { // nobody reads any more
                    return 0;
                }
                TimeUnit.SECONDS.sleep(seconds);
            }
        }
    }
}
