package org.jbmi.tools;

import org.jbmi.tools.cli.Program;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.tools.zoid.ScanCommand;

import picocli.CommandLine.Command;

/** The program {@code zoid}. */
@Command(
        name = "zoid",
        versionProvider = ToolVersion.class,
        subcommands = {ScanCommand.class},
        description = "Works with plug-ins of ZOID's call forwarding.",
        footer = "%n'zoid COMMAND --help' tells more of a command.")
public final class ZoidMain extends ToolCommand implements Runnable {
    /** For picocli. */
    public ZoidMain() {}

    /**
     * Runs the program and ends the process with its exit status.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        System.exit(Program.run(new ZoidMain(), args));
    }

    @Override
    public void run() {
        throw wrongUse("A command is needed");
    }
}
