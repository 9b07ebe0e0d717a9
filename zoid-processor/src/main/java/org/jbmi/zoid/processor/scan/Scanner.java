package org.jbmi.zoid.processor.scan;

import org.jbmi.zoid.processor.model.Finding;
import org.jbmi.zoid.processor.model.HintRules;
import org.jbmi.zoid.processor.model.Parameter;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** Turns a C header with ZOID's hints into an annotated Java interface. */
public final class Scanner {
    private Scanner() {}

    /**
     * How the interface is written.
     *
     * @param fileName the name of the header without its folder; where the functions share no
     *     prefix it names the plug-in
     * @param packageName the package of the interface, or an empty string
     */
    public record Options(String fileName, String packageName) {}

    /**
     * The result of a scan.
     *
     * @param source the interface; null if anything is wrong with the header
     * @param problems what is wrong, by line; empty if nothing is
     */
    public record Result(@Nullable String source, List<Problem> problems) {}

    /**
     * Reads a header.
     *
     * @param header its text
     * @param options how the interface is written
     * @return the interface, or what is wrong
     */
    public static Result scan(String header, Options options) {
        Problems problems = new Problems();
        Header parsed = HeaderParser.parse(header, problems);
        StartLine start = parsed.start();
        if (start != null && parsed.functions().isEmpty() && problems.isEmpty()) {
            problems.add(start.line(), "There is no prototype below the start line.");
        }
        String prefix = Names.commonPrefix(parsed.functions());
        JavaTypes types =
                new JavaTypes(parsed.types(), problems, Names.plugin(prefix, options.fileName()));
        for (CFunction function : parsed.functions()) {
            for (Finding finding : HintRules.check(model(function, types))) {
                CFunction.CParameter parameter = function.parameters().get(finding.parameter());
                problems.add(parameter.line(), "'" + parameter.name() + "': " + finding.sentence());
            }
        }
        if (start == null) {
            return new Result(null, problems.all());
        }
        String source = InterfaceWriter.write(parsed, start, types, problems, options);
        return problems.isEmpty()
                ? new Result(source, List.of())
                : new Result(null, problems.all());
    }

    /** The parameters of a function as the rules see them. */
    static List<Parameter> model(CFunction function, JavaTypes types) {
        return function.parameters().stream()
                .map(p -> new Parameter(p.name(), p.hints(), types.values(p.type())))
                .toList();
    }
}
