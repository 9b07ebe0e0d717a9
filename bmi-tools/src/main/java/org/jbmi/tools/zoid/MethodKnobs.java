package org.jbmi.tools.zoid;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.tools.cli.Assignments;

import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The option that sets knobs of methods. */
final class MethodKnobs {
    @Option(
            names = "--knob",
            paramLabel = "NAME=VALUE",
            description = "Sets a knob of a method, see 'bmi info'. May be given several times.")
    private List<String> knobs = new ArrayList<>();

    /** A builder with the knobs set. */
    BmiBuilder builder(Function<String, RuntimeException> wrongUse) {
        BmiBuilder builder = Bmi.builder();
        Assignments.parse("--knob", knobs, wrongUse).forEach(builder::knob);
        return builder;
    }

    /** Whether a value or an address is wrong on every machine. */
    static boolean isMisuse(BmiException e) {
        return e.code() == ErrorCode.EINVAL
                || e.code() == ErrorCode.ENOPROTOOPT
                || e.code() == ErrorCode.ENAMETOOLONG;
    }

    /** Opens an instance; an invalid knob is wrong use. */
    Bmi open(Function<String, RuntimeException> wrongUse) {
        return open(builder(wrongUse), wrongUse);
    }

    /** The same with a builder that has further settings, such as its listen addresses. */
    static Bmi open(BmiBuilder builder, Function<String, RuntimeException> wrongUse) {
        try {
            return builder.open();
        } catch (BmiException e) {
            if (isMisuse(e)) {
                throw wrongUse.apply(String.valueOf(e.getMessage()));
            }
            throw e;
        }
    }
}
