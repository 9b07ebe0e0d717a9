package org.jbmi.tools.zoid;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.tools.cli.Misuse;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.zoid.daemon.ZoidAdmin;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.util.function.Function;

/** The option that selects the server. */
final class ServerOption {
    private static final String VARIABLE = "ZOID_ADDRESS";

    @Option(
            names = "--at",
            paramLabel = "ADDRESS",
            description =
                    "Where the server is. Default: the environment variable ZOID_ADDRESS, else"
                            + " zoid://.")
    private @Nullable String address;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** The server's address; an invalid one is wrong use. */
    String address(Bmi bmi, Function<String, RuntimeException> wrongUse) {
        String named = address != null ? address : System.getenv(VARIABLE);
        String where = named == null ? "zoid://" : named;
        String source = address != null ? "--at" : VARIABLE;
        if (where.matches("loopback[:-].*")) {
            throw wrongUse.apply(
                    source + ": loopback does not leave its process; give a zoid or tcp address");
        }
        try {
            bmi.lookup(where);
        } catch (BmiException e) {
            if (Misuse.is(e)) {
                throw wrongUse.apply(source + ": " + e.getMessage());
            }
            // A daemon alone runs no functions.
            String sentence =
                    String.valueOf(e.getMessage())
                            .replace(
                                    "start the server, or a daemon with \"bin/zbmi serve\"",
                                    "start the server with \"bin/zoid serve\"");
            throw new BmiException(e.code(), sentence, e);
        }
        ((ToolCommand) command.userObject()).asks(where);
        return where;
    }

    /** A client for questions to that server. */
    ZoidAdmin admin(Bmi bmi, Function<String, RuntimeException> wrongUse) {
        return ZoidAdmin.of(bmi, address(bmi, wrongUse));
    }
}
