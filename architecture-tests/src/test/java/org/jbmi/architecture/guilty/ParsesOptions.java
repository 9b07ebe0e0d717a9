package org.jbmi.architecture.guilty;

import picocli.CommandLine;

/** Parses a command line outside the tools. */
public final class ParsesOptions {

    /** The parser. */
    public final CommandLine parser = new CommandLine(new Object());
}
