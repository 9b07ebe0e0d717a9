package org.jbmi.tools.cli;

import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;

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
    private static final Path STANDARD_OUTPUT = Path.of("/proc/self/fd/1");
    static final String LOST_OUTPUT =
            "Not all output could be written: its device is full, or the output is closed.";

    private Program() {}

    /** {@return the command line of a program, with the commands of all modules at hand} */
    public static CommandLine of(Object top) {
        CommandLine program = new CommandLine(top);
        FurtherCommands.addTo(program);
        // A word that begins with @ is a word: it may be one for a program that a command starts.
        return program.registerConverter(Path.class, Program::pathOf)
                .setExpandAtFiles(false)
                .setParameterExceptionHandler(Program::wrongUse)
                .setExecutionExceptionHandler(Program::failed)
                // Unlike picocli's own writer it asks the stream whether somebody still reads.
                .setOut(new PrintWriter(System.out, true, System.out.charset()))
                .setUsageHelpAutoWidth(false);
    }

    private static Path pathOf(String word) {
        if (word.isEmpty()) { // an unset variable of a shell; it would mean the current folder
            throw new TypeConversionException("a path is not empty");
        }
        try {
            return Path.of(word);
        } catch (InvalidPathException e) {
            throw new TypeConversionException(Sentences.of(e));
        }
    }

    /** Runs a program. */
    public static int run(Object top, String[] args) {
        // The same text in every language: scripts read it, and not every language has our digits.
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        CommandLine command = of(top);
        try {
            int status = command.execute(args);
            if (status == ExitCode.OK && isOutputLost()) {
                command.getErr().println(command.getCommandName() + ": " + LOST_OUTPUT);
                return ExitCode.SOFTWARE;
            }
            return status;
        } catch (Error failure) {
            // Commands report their exceptions; an exception here means a broken JVM or
            // installation.
            return report(failure, command);
        }
    }

    /**
     * Whether standard output takes no more. A reader that goes before the end, as {@code head}
     * does, is no failure: then it is false.
     */
    public static boolean isOutputLost() {
        return System.out.checkError() && !hasReader();
    }

    private static boolean hasReader() {
        try {
            String target = Files.readSymbolicLink(STANDARD_OUTPUT).toString();
            return target.startsWith("pipe:") || target.startsWith("socket:");
        } catch (IOException e) {
            return false; // not on Linux
        }
    }

    private static int wrongUse(ParameterException wrong, String[] args) {
        CommandLine command = wrong.getCommandLine();
        PrintWriter err = command.getErr();
        err.println(
                command.getCommandSpec().qualifiedName()
                        + ": "
                        + Sentences.finish(sentence(wrong)));
        command.usage(err);
        err.flush();
        return ExitCode.USAGE;
    }

    /** Picocli's words are those of a programmer: indexes of arguments, and types of Java. */
    private static String sentence(ParameterException wrong) {
        if (!(wrong instanceof UnmatchedArgumentException unmatched)) {
            return String.valueOf(wrong.getMessage())
                    .replaceFirst("^Missing required subcommand$", "A command is needed")
                    .replaceFirst("('-?\\d+') is not an? (int|long)$", "$1 is too long a number")
                    .replaceFirst(" is not an? (int|long)$", " is not a whole number")
                    .replaceFirst(" is not a double$", " is not a number");
        }
        CommandLine command = wrong.getCommandLine();
        if (unmatched.isUnknownOption()) {
            boolean startsPrograms =
                    command.getCommand() instanceof ToolCommand tool && tool.startsPrograms();
            return wrong.getMessage()
                    + (startsPrograms ? "; options of the program come after '--'" : "");
        }
        String word = "'" + unmatched.getUnmatched().getFirst() + "'";
        return command.getSubcommands().isEmpty()
                ? word + " is one word too many"
                : "There is no command " + word;
    }

    private static int failed(Exception failure, CommandLine command, ParseResult parsed) {
        return report(failure, command);
    }

    private static int report(Throwable failure, CommandLine command) {
        PrintWriter err = command.getErr();
        String server = command.getCommand() instanceof ToolCommand tool ? tool.server() : null;
        err.println(
                command.getCommandSpec().qualifiedName() + ": " + Sentences.of(failure, server));
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
