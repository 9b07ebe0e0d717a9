package org.jbmi.tools;

import org.jbmi.tools.cli.Program;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.tools.zbmi.ErrorsCommand;
import org.jbmi.tools.zbmi.JournalCommand;
import org.jbmi.tools.zbmi.OpsCommand;
import org.jbmi.tools.zbmi.ReplayCommand;
import org.jbmi.tools.zbmi.ServeCommand;
import org.jbmi.tools.zbmi.StatCommand;

import picocli.CommandLine.Command;

/** The program {@code zbmi}. */
@Command(
        name = "zbmi",
        versionProvider = ToolVersion.class,
        subcommands = {
            ErrorsCommand.class,
            JournalCommand.class,
            OpsCommand.class,
            ReplayCommand.class,
            ServeCommand.class,
            StatCommand.class
        },
        description = "Runs and inspects the zoid daemon.",
        footer = "%n'zbmi COMMAND --help' explains a command.")
public final class ZbmiMain extends ToolCommand {
    /** Runs the program and ends the process with its exit status. */
    public static void main(String[] args) {
        System.exit(Program.run(new ZbmiMain(), args));
    }
}
