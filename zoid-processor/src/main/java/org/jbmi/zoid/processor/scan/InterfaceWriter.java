package org.jbmi.zoid.processor.scan;

import org.jbmi.zoid.processor.model.Direction;
import org.jbmi.zoid.processor.model.HintRules;
import org.jbmi.zoid.processor.model.Hints;
import org.jbmi.zoid.processor.model.Parameter;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Writes the annotated interface of a header whose rules have been checked. */
final class InterfaceWriter {
    private static final String FORWARD = "org.jbmi.zoid.forward.";
    private static final String ALLOCATE = "Allocate";
    private static final int MAXIMUM_COLUMNS = 100;

    private final Header header;
    private final JavaTypes types;
    private final Problems problems;
    private final String prefix;
    private final Set<String> imports = new TreeSet<>();
    private final StringBuilder body = new StringBuilder();
    private final Set<String> methods = new LinkedHashSet<>();

    private InterfaceWriter(Header header, JavaTypes types, Problems problems) {
        this.header = header;
        this.types = types;
        this.problems = problems;
        this.prefix = Names.commonPrefix(header.functions());
    }

    /** Writes the interface as source text; adds what it cannot write to the problems. */
    static String write(
            Header header,
            StartLine start,
            JavaTypes types,
            Problems problems,
            Scanner.Options options) {
        return new InterfaceWriter(header, types, problems).file(start, options);
    }

    private String file(StartLine start, Scanner.Options options) {
        String name = Names.plugin(prefix, options.fileName());
        header.functions().forEach(this::function);
        records();
        imports.addAll(types.imports());
        imports.add(FORWARD + "PluginLifecycle");
        imports.add(FORWARD + "ZoidPlugin");
        StringBuilder text = new StringBuilder();
        if (!options.packageName().isEmpty()) {
            text.append("package ").append(options.packageName()).append(";\n\n");
        }
        appendImports(text, false);
        appendImports(text, true);
        text.append("/**\n * The functions of ").append(options.fileName());
        text.append(".\n").append(lifecycle(start)).append(" */\n");
        text.append("@ZoidPlugin(id = ").append(start.id());
        text.append(", name = \"").append(name).append("\")\n");
        text.append("public interface ").append(types.interfaceName());
        text.append(" extends PluginLifecycle {\n");
        return text.append(body.toString().stripTrailing()).append("\n}\n").toString();
    }

    private void appendImports(StringBuilder text, boolean java) {
        int before = text.length();
        for (String name : imports) {
            if (name.startsWith("java.") == java) {
                text.append("import ").append(name).append(";\n");
            }
        }
        text.append(text.length() > before ? "\n" : "");
    }

    private static String lifecycle(StartLine start) {
        StringBuilder text = new StringBuilder();
        List<String> told = new ArrayList<>();
        addIf(told, start.init(), "init");
        addIf(told, start.fini(), "fini");
        addIf(told, start.proc(), "proc");
        if (!told.isEmpty()) {
            text.append(" *\n * <p>The header also names what an implementation overrides:\n * ");
            text.append(String.join(",\n * ", told)).append(".\n");
        }
        return text.toString();
    }

    private static void addIf(List<String> told, @Nullable String function, String method) {
        if (function != null) {
            told.add("{@link #" + method + "} (there {@code " + function + "})");
        }
    }

    private void function(CFunction function) {
        String result = types.result(function.result());
        if (result == null) {
            problems.add(
                    function.line(),
                    "'"
                            + function.name()
                            + "' returns '"
                            + function.result()
                            + "'; a forwarded function returns a number or nothing.");
            return;
        }
        String own = function.name().substring(prefix.length());
        String method = Names.method(own.isEmpty() ? function.name() : own);
        boolean isNew = methods.add(method);
        if (function.parameters().stream().anyMatch(InterfaceWriter::needsAllocator)) {
            isNew &= methods.add(method + ALLOCATE);
        }
        if (!isNew) {
            problems.add(
                    function.line(),
                    "There are two functions '%s' in Java: rename '%s'."
                            .formatted(method, function.name()));
            return;
        }
        checkParameters(function);
        body.append("    /** {@code ").append(prototype(function)).append("} */\n");
        List<Parameter> model = Scanner.model(function, types);
        List<String> parameters = new ArrayList<>();
        for (int i = 0; i < function.parameters().size(); i++) {
            parameters.add(parameter(function, i, model));
        }
        String start = "    " + result + " " + method + "(";
        String line = start + String.join(", ", parameters) + ");";
        if (line.length() <= MAXIMUM_COLUMNS) {
            body.append(line);
        } else {
            String next = "\n            ";
            body.append(start)
                    .append(next)
                    .append(String.join("," + next, parameters))
                    .append(");");
        }
        body.append("\n\n");
        for (CFunction.CParameter parameter : function.parameters()) {
            if (needsAllocator(parameter)) {
                allocator(method, Names.camel(parameter.name()));
            }
        }
    }

    private static boolean needsAllocator(CFunction.CParameter parameter) {
        return parameter.hints().userBuffer() && parameter.hints().direction() == Direction.IN;
    }

    private void checkParameters(CFunction function) {
        Set<String> names = new HashSet<>();
        for (CFunction.CParameter parameter : function.parameters()) {
            String name = Names.camel(parameter.name());
            if (!names.add(name)) {
                problems.add(
                        parameter.line(),
                        "'%s' has two parameters '%s' in Java: rename '%s'."
                                .formatted(function.name(), name, parameter.name()));
            }
        }
    }

    private String parameter(CFunction function, int index, List<Parameter> model) {
        CFunction.CParameter parameter = function.parameters().get(index);
        String type = types.parameter(parameter);
        Hints hints = parameter.hints();
        List<String> words = new ArrayList<>();
        if (hints.direction() != Direction.IN) {
            words.add(annotation(hints.direction() == Direction.OUT ? "Out" : "InOut"));
        } else if (JavaTypes.mayBeNull(hints.shape())) {
            words.add(annotation("In"));
        }
        if (hints.shape().isArray()) {
            HintRules.sizeOf(model, index)
                    .ifPresent(
                            size ->
                                    words.add(
                                            sized(
                                                    Names.camel(
                                                            function.parameters().get(size).name()),
                                                    types.elementBytes(parameter))));
        }
        if (hints.nullOk()) {
            words.add(annotation("NullOk"));
        }
        if (hints.zeroCopy()) {
            words.add(annotation("ZeroCopy"));
        }
        if (hints.userBuffer()) {
            words.add(annotation("UserBuffer"));
        }
        words.add(hints.nullOk() ? nullable(String.valueOf(type)) : String.valueOf(type));
        words.add(Names.camel(parameter.name()));
        return String.join(" ", words);
    }

    private String sized(String size, int elementBytes) {
        String value = "\"" + size + "\"";
        return annotation("Sized")
                + (elementBytes == 1
                        ? "(" + value + ")"
                        : "(value = " + value + ", elementBytes = " + elementBytes + ")");
    }

    /** For an array the word stands before its brackets: what may be missing is the array. */
    private String nullable(String type) {
        imports.add("org.jspecify.annotations.Nullable");
        int bracket = type.indexOf('[');
        return bracket < 0
                ? "@Nullable " + type
                : type.substring(0, bracket) + " @Nullable " + type.substring(bracket);
    }

    private String annotation(String name) {
        imports.add(FORWARD + name);
        return "@" + name;
    }

    private void allocator(String method, String parameter) {
        imports.add("java.lang.foreign.MemorySegment");
        imports.add("org.jspecify.annotations.Nullable");
        body.append(
                """
                    /**
                     * Brings the memory for {@code %s} of {@link #%s}, before its bytes move.
                     *
                     * @param bytes how many bytes it must have
                     * @return the memory, or null if there is none: then the call fails with ENOMEM
                     */
                    default @Nullable MemorySegment %s%s(int bytes) {
                        return null;
                    }

                """
                        .formatted(parameter, method, method, ALLOCATE));
    }

    private void records() {
        for (Map.Entry<String, List<CField>> entry : types.records().entrySet()) {
            List<String> components = new ArrayList<>();
            Set<String> names = new HashSet<>();
            for (CField field : entry.getValue()) {
                String name = Names.component(field.name());
                if (!names.add(name)) {
                    problems.add(
                            field.line(),
                            "The structure has two members '%s' in Java: rename '%s'."
                                    .formatted(name, field.name()));
                }
                String elements = field.elements() == 0 ? "" : " /* " + field.elements() + " */";
                components.add(types.component(field) + " " + name + elements);
            }
            imports.add("org.jbmi.shipper.codec.Shipped");
            body.append("    /** A structure of the header. */\n    @Shipped\n    record ")
                    .append(entry.getKey());
            body.append('(').append(String.join(", ", components)).append(") {}\n\n");
        }
    }

    private static String prototype(CFunction function) {
        List<String> parameters = new ArrayList<>();
        for (CFunction.CParameter parameter : function.parameters()) {
            String type = parameter.type().toString();
            parameters.add(type + (type.endsWith("*") ? "" : " ") + parameter.name());
        }
        String result = function.result().toString();
        return result + " " + function.name() + "(" + String.join(", ", parameters) + ")";
    }
}
