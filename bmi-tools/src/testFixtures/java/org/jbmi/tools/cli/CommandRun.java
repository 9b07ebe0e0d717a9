package org.jbmi.tools.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a command line did in this process, for the tests of this module and of those that add
 * commands.
 *
 * @param status the exit status
 * @param out what it printed to standard output
 * @param err what it printed to standard error
 */
public record CommandRun(int status, String out, String err) {
    /**
     * Runs a program.
     *
     * @param top its top command
     * @param args the command line
     * @return what it did
     */
    public static CommandRun of(Object top, String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status =
                Program.of(top)
                        .setOut(new PrintWriter(out))
                        .setErr(new PrintWriter(err))
                        .execute(args);
        return new CommandRun(status, out.toString(), err.toString());
    }

    /**
     * Runs a command of a program.
     *
     * @param top the program's top command
     * @param name of the command
     * @param options what follows the name
     * @return what it did
     */
    public static CommandRun ofCommand(Object top, String name, String... options) {
        return of(top, Stream.concat(Stream.of(name), Stream.of(options)).toArray(String[]::new));
    }

    /**
     * Runs a program whose command has no option for a setting, so that a system property gives it
     * meanwhile. Tests that do so must not run at the same time in one JVM.
     *
     * @param property that gives the setting; it is cleared behind the run
     * @param value of it
     * @param top the program's top command
     * @param args the command line
     * @return what it did
     */
    public static CommandRun withProperty(
            String property, String value, Object top, String... args) {
        System.setProperty(property, value);
        try {
            return of(top, args);
        } finally {
            System.clearProperty(property);
        }
    }

    /** {@return the lines that it printed to standard output} */
    public List<String> outLines() {
        return out.lines().toList();
    }

    /** {@return the lines that it printed to standard error} */
    public List<String> errLines() {
        return err.lines().toList();
    }

    /** {@return everything it printed, for messages of assertions} */
    public String transcript() {
        return "out:\n" + out + "\nerr:\n" + err;
    }
}
