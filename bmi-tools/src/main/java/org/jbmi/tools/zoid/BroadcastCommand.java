package org.jbmi.tools.zoid;

import org.jbmi.Bmi;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zoid.daemon.ZoidAdmin;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.PrintWriter;
import java.util.concurrent.Callable;

/** The command {@code zoid f2cn}. */
@Command(
        name = "f2cn",
        versionProvider = ToolVersion.class,
        description = {
            "Copies a file of the server to every process that receives broadcasts.",
            "",
            "The server reads the file once. The exit status is 0 only if all receivers have"
                    + " it; otherwise the command names those that have not. The server gives"
                    + " up a receiver that makes no progress for 30 seconds.",
            ""
        })
public final class BroadcastCommand extends ToolCommand implements Callable<Integer> {
    @Mixin private ServerOption server = new ServerOption();
    @Mixin private MethodKnobs knobs = new MethodKnobs();

    @Parameters(
            index = "0",
            paramLabel = "INPUT",
            description = "The file, an absolute path on the server.")
    private String input;

    @Parameters(
            index = "1",
            paramLabel = "OUTPUT",
            description = "The copy, an absolute path, which begins at each receiver's folder.")
    private String output;

    @Override
    public Integer call() throws ToolException {
        if (!input.startsWith("/") || !output.startsWith("/")) {
            throw wrongUse("Both paths must be absolute");
        }
        try (Bmi bmi = knobs.open(this::wrongUse);
                ZoidAdmin admin = server.admin(bmi, this::wrongUse)) {
            ZoidAdmin.Broadcast done = admin.broadcast(input, output);
            if (done.receivers() > 0 || done.trouble().isEmpty()) {
                PrintWriter out = spec().commandLine().getOut();
                out.println("receivers: " + done.receivers() + ", bytes: " + done.bytes());
            }
            if (!done.trouble().isEmpty()) {
                throw new ToolException(done.trouble());
            }
        }
        return 0;
    }
}
