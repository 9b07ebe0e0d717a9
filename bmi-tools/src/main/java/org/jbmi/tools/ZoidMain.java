package org.jbmi.tools;

import org.jbmi.tools.cli.Program;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.tools.zoid.BroadcastCommand;
import org.jbmi.tools.zoid.ModulesCommand;
import org.jbmi.tools.zoid.RunCommand;
import org.jbmi.tools.zoid.ScanCommand;
import org.jbmi.tools.zoid.ServeCommand;
import org.jbmi.tools.zoid.StatCommand;
import org.jbmi.tools.zoid.TunCommand;

import picocli.CommandLine.Command;

/** The program {@code zoid}. */
@Command(
        name = "zoid",
        versionProvider = ToolVersion.class,
        subcommands = {
            ServeCommand.class,
            RunCommand.class,
            StatCommand.class,
            ModulesCommand.class,
            BroadcastCommand.class,
            TunCommand.class,
            ScanCommand.class
        },
        description = "ZOID's call forwarding: a server that runs functions for other processes.",
        footer = "%n'zoid COMMAND --help' explains a command.")
public final class ZoidMain extends ToolCommand {
    /** Runs the program and ends the process with its exit status. */
    public static void main(String[] args) {
        System.exit(Program.run(new ZoidMain(), args));
    }
}
