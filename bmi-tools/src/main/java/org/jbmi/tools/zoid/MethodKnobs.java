package org.jbmi.tools.zoid;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;

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
        for (String setting : knobs) {
            int equals = setting.indexOf('=');
            if (equals < 1) {
                throw wrongUse.apply("--knob takes NAME=VALUE, not " + setting);
            }
            builder.knob(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return builder;
    }
}
