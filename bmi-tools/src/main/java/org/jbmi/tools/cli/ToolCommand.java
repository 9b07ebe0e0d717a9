package org.jbmi.tools.cli;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;

/** The options of every command: help, version, and stack traces. */
public abstract class ToolCommand {
    @Spec private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this and exit.")
    boolean helpAsked;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version and exit.")
    boolean versionAsked;

    @Option(names = "--verbose", description = "Show a stack trace when something fails.")
    private boolean verbose;

    private @Nullable String server;

    /** For subclasses. */
    protected ToolCommand() {}

    /** {@return the command as picocli sees it} */
    protected final CommandSpec spec() {
        return spec;
    }

    /** Makes the exception for a wrong command line. */
    protected final ParameterException wrongUse(@Nullable String sentence) {
        return new ParameterException(spec.commandLine(), sentence);
    }

    /** {@return whether the user wants stack traces ({@code --verbose})} */
    protected final boolean verboseAsked() {
        return verbose;
    }

    /** Whether its last arguments are a program and the options of that program. */
    protected boolean startsPrograms() {
        return false;
    }

    /**
     * Shows what a server says when it is ready. The server ends if that is lost, because nobody
     * would learn its address, or that it is ready.
     *
     * @param out the writer with those lines
     * @throws ToolException if standard output takes no more; not if only its reader has gone
     */
    protected static void showReady(PrintWriter out) throws ToolException {
        out.flush();
        if (Program.isOutputLost()) {
            throw new ToolException(Program.LOST_OUTPUT);
        }
    }

    /** Names the server of the calls that follow, for the message if they fail. */
    public final void asks(String address) {
        server = address;
    }

    /** The server that it asks; null before it does. */
    final @Nullable String server() {
        return server;
    }

    final boolean isVerbose() {
        return verbose;
    }
}
