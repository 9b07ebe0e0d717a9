package org.jbmi.tools.zoid;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.tools.cli.Assignments;
import org.jbmi.tools.cli.Misuse;

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

    /** Opens an instance; an invalid knob is wrong use. */
    Bmi open(Function<String, RuntimeException> wrongUse) {
        return Misuse.check(wrongUse, builder(wrongUse)::open);
    }
}
