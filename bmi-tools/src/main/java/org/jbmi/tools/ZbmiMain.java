package org.jbmi.tools;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program {@code zbmi}. */
@Command(
        name = "zbmi",
        mixinStandardHelpOptions = true,
        version = "zbmi 0.1.0-SNAPSHOT",
        description = "Runs and inspects the zoid daemon.")
public final class ZbmiMain implements Runnable {

    @Spec private CommandSpec spec;

    private ZbmiMain() {}

    /**
     * Runs the program and ends the process with its exit status.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        System.exit(new CommandLine(new ZbmiMain()).execute(args));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "A command is needed.");
    }
}
