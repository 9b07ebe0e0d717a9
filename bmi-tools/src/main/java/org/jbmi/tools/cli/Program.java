package org.jbmi.tools.cli;

import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

import java.io.PrintWriter;

/**
 * Runs a program's command line. The exit status:
 *
 * <ul>
 *   <li>0: success;
 *   <li>1: it failed while it ran; one sentence on standard error, and a stack trace with {@code
 *       --verbose};
 *   <li>2: the command line is wrong; one line and the usage on standard error.
 * </ul>
 */
public final class Program {
    private Program() {}

    /**
     * Makes the command line of a program, with the commands of all modules at hand.
     *
     * @return its command line, ready to run
     */
    public static CommandLine of(Object top) {
        CommandLine program = new CommandLine(top);
        FurtherCommands.addTo(program);
        // A word that begins with @ is a word: it may be one for a program that a command starts.
        return program.setExpandAtFiles(false)
                .setParameterExceptionHandler(Program::wrongUse)
                .setExecutionExceptionHandler(Program::failed)
                // Unlike picocli's own writer it asks the stream whether somebody still reads.
                .setOut(new PrintWriter(System.out, true, System.out.charset()))
                .setUsageHelpAutoWidth(false);
    }

    /** Runs a program. */
    public static int run(Object top, String[] args) {
        CommandLine command = of(top);
        try {
            return command.execute(args);
        } catch (Error failure) {
            // Commands report their exceptions; an exception here means a broken JVM or
            // installation.
            return report(failure, command);
        }
    }

    private static int wrongUse(ParameterException wrong, String[] args) {
        CommandLine command = wrong.getCommandLine();
        PrintWriter err = command.getErr();
        err.println(
                command.getCommandSpec().qualifiedName()
                        + ": "
                        + Sentences.finish(wrong.getMessage()));
        command.usage(err);
        err.flush();
        return ExitCode.USAGE;
    }

    private static int failed(Exception failure, CommandLine command, ParseResult parsed) {
        return report(failure, command);
    }

    private static int report(Throwable failure, CommandLine command) {
        PrintWriter err = command.getErr();
        err.println(command.getCommandSpec().qualifiedName() + ": " + Sentences.of(failure));
        if (isVerbose(command)) {
            failure.printStackTrace(err);
        }
        err.flush();
        return ExitCode.SOFTWARE;
    }

    /** The option may stand before the command's name or after it. */
    private static boolean isVerbose(CommandLine command) {
        for (CommandLine each = command; each != null; each = each.getParent()) {
            if (each.getCommand() instanceof ToolCommand tool && tool.isVerbose()) {
                return true;
            }
        }
        return false;
    }
}
