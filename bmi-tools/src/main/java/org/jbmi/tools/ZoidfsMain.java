package org.jbmi.tools;

import org.jbmi.tools.cli.Program;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.tools.zoidfs.CatCommand;
import org.jbmi.tools.zoidfs.CopyCommand;
import org.jbmi.tools.zoidfs.ListCommand;
import org.jbmi.tools.zoidfs.MountCommand;
import org.jbmi.tools.zoidfs.ServeCommand;
import org.jbmi.tools.zoidfs.StatCommand;

import picocli.CommandLine.Command;

/** The program {@code zoidfs}. */
@Command(
        name = "zoidfs",
        versionProvider = ToolVersion.class,
        subcommands = {
            CatCommand.class,
            CopyCommand.class,
            ListCommand.class,
            MountCommand.class,
            ServeCommand.class,
            StatCommand.class
        },
        description =
                "Serves files with zoidfs, the protocol of IOFSL, and accesses" + " served files.",
        footer = "%n'zoidfs COMMAND --help' explains a command.")
public final class ZoidfsMain extends ToolCommand {
    /** Runs the program and ends the process with its exit status. */
    public static void main(String[] args) {
        System.exit(Program.run(new ZoidfsMain(), args));
    }
}
