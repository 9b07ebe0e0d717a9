package org.jbmi.tools;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program {@code bmi}. */
@Command(
        name = "bmi",
        mixinStandardHelpOptions = true,
        version = "bmi 0.1.0-SNAPSHOT",
        description = "Posts, tests and measures messages over any BMI method.")
public final class BmiMain implements Runnable {

    @Spec private CommandSpec spec;

    private BmiMain() {}

    /**
     * Runs the program and ends the process with its exit status.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        System.exit(new CommandLine(new BmiMain()).execute(args));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "A command is needed.");
    }
}
