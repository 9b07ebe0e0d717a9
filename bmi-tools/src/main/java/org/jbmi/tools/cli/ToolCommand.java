package org.jbmi.tools.cli;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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

    final boolean isVerbose() {
        return verbose;
    }
}
