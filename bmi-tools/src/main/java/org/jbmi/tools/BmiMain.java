package org.jbmi.tools;

import org.jbmi.tools.cli.Program;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.tools.doctor.DoctorCommand;
import org.jbmi.tools.info.InfoCommand;
import org.jbmi.tools.shipper.CallsCommand;
import org.jbmi.tools.tcp.PingCommand;
import org.jbmi.tools.tcp.ServeCommand;

import picocli.CommandLine.Command;

/** The program {@code bmi}. */
@Command(
        name = "bmi",
        versionProvider = ToolVersion.class,
        subcommands = {
            DoctorCommand.class,
            InfoCommand.class,
            CallsCommand.class,
            PingCommand.class,
            ServeCommand.class
        },
        description = "Shows and inspects messaging over the BMI methods.",
        footer = "%n'bmi COMMAND --help' explains a command.")
public final class BmiMain extends ToolCommand {
    /** Runs the program and ends the process with its exit status. */
    public static void main(String[] args) {
        System.exit(Program.run(new BmiMain(), args));
    }
}
