package org.jbmi.zoid.processor.scan;

import org.jbmi.zoid.processor.model.Direction;
import org.jbmi.zoid.processor.model.Hints;
import org.jbmi.zoid.processor.model.Shape;
import org.jbmi.zoid.processor.model.Values;
import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Finds the Java type of each C type, and remembers which structures are needed as records. */
final class JavaTypes {
    private static final Map<String, Integer> BYTES =
            Map.of(
                    "byte", 1, "short", 2, "int", 4, "long", 8, "float", 4, "double", 8, "boolean",
                    1, "void", 1);
    private static final Map<String, String> BOXES =
            Map.of(
                    "boolean", "Boolean", "short", "Short", "int", "Integer", "long", "Long",
                    "float", "Float", "double", "Double");

    /** Classes that an interface may name, beside the cells of primitive types. */
    private static final Set<String> TAKEN =
            Set.of(
                    "Cell",
                    "In",
                    "InOut",
                    "List",
                    "MemorySegment",
                    "NullOk",
                    "Nullable",
                    "Out",
                    "PluginLifecycle",
                    "Shipped",
                    "Sized",
                    "String",
                    "UserBuffer",
                    "ZeroCopy",
                    "ZoidPlugin");

    private static final Set<String> COUNTABLE = Set.of("byte", "short", "int", "long");

    private final CTypes types;
    private final Problems problems;
    private final String interfaceName;
    private final Map<String, List<CField>> records = new LinkedHashMap<>();
    private final Set<String> imports = new TreeSet<>();

    JavaTypes(CTypes types, Problems problems, String plugin) {
        this.types = types;
        this.problems = problems;
        String name = capitalised(Names.camel(plugin));
        this.interfaceName = isTaken(name) ? name + "_" : name;
    }

    String interfaceName() {
        return interfaceName;
    }

    /** The records that are needed, by their Java names. */
    Map<String, List<CField>> records() {
        return records;
    }

    /** The classes that what was asked for needs. */
    Set<String> imports() {
        return imports;
    }

    /** What the rules must know of a C type without its stars. */
    Values values(CType type) {
        CType resolved = types.resolve(new CType(type.base(), 0));
        String primitive = resolved.addresses() == 0 ? types.primitive(resolved.base()) : null;
        if (primitive == null) {
            boolean addresses = resolved.addresses() > 0 || types.holdsAddresses(resolved.base());
            return new Values(false, 0, addresses);
        }
        return new Values(COUNTABLE.contains(primitive), BYTES.getOrDefault(primitive, 0), false);
    }

    /** The type of a function's result; null if it is none that can be returned. */
    @Nullable String result(CType type) {
        CType resolved = types.resolve(type);
        return resolved.addresses() == 0 ? types.primitive(resolved.base()) : null;
    }

    /** The type of a parameter; null, and a problem, if there is none. */
    @Nullable String parameter(CFunction.CParameter parameter) {
        Hints hints = parameter.hints();
        CType written = types.resolve(parameter.type());
        int wanted =
                switch (hints.shape()) {
                    case OBJ -> 0;
                    case STR, PTR, ARR -> 1;
                    case ARR2D -> 2;
                };
        String shape = hints.shape().name().toLowerCase(Locale.ROOT);
        if (written.addresses() != wanted) {
            problems.add(
                    parameter.line(),
                    "'%s' is of type '%s', which is no %s: that has %s."
                            .formatted(parameter.name(), parameter.type(), shape, stars(wanted)));
            return null;
        }
        String value = value(written.base(), parameter.line());
        if (value == null) {
            return null;
        }
        if (value.equals("void") && !hints.shape().isArray()) {
            problems.add(parameter.line(), "'" + parameter.name() + "' of void must be an arr.");
            return null;
        }
        if (value.equals("boolean") && hints.shape() == Shape.PTR) {
            problems.add(
                    parameter.line(),
                    "'"
                            + parameter.name()
                            + "' is a ptr to bool and cannot be forwarded: use an int.");
            return null;
        }
        return switch (hints.shape()) {
            case OBJ -> value;
            case STR -> string(parameter, value);
            case PTR -> address(value, hints);
            case ARR -> array(value, hints);
            case ARR2D -> array(value, hints) + "[]";
        };
    }

    /** The type of a record's component. */
    @Nullable String component(CField field) {
        CType type = types.resolve(field.type());
        String value = type.addresses() > 0 ? null : value(type.base(), field.line());
        if (value == null || value.equals("void")) {
            return null;
        }
        if (field.elements() == 0 || value.equals("byte")) {
            return field.elements() == 0 ? value : "byte[]";
        }
        imports.add("java.util.List");
        return "List<" + BOXES.getOrDefault(value, value) + ">";
    }

    /** How large an element of an array is that is written as memory; 1 if its type says so. */
    int elementBytes(CFunction.CParameter parameter) {
        return parameter.hints().zeroCopy() ? Math.max(1, values(parameter.type()).bytes()) : 1;
    }

    private static String stars(int count) {
        return count == 0 ? "no star" : count == 1 ? "one star" : "two stars";
    }

    private @Nullable String string(CFunction.CParameter parameter, String value) {
        if (!value.equals("byte")) {
            problems.add(parameter.line(), "'" + parameter.name() + "' is a str, but not of char.");
            return null;
        }
        return parameter.hints().direction() == Direction.IN ? "String" : cell("Cell<String>");
    }

    private String address(String value, Hints hints) {
        String primitiveCell = BYTES.containsKey(value) ? capitalised(value) + "Cell" : null;
        if (primitiveCell != null) {
            return cell(primitiveCell);
        }
        return hints.direction() == Direction.IN ? value : cell("Cell<" + value + ">");
    }

    private String cell(String type) {
        int bracket = type.indexOf('<');
        imports.add("org.jbmi.zoid.forward." + (bracket < 0 ? type : type.substring(0, bracket)));
        return type;
    }

    private String array(String value, Hints hints) {
        if (value.equals("void") || value.equals("byte") || hints.zeroCopy()) {
            imports.add("java.lang.foreign.MemorySegment");
            return "MemorySegment";
        }
        return value + "[]";
    }

    /** The Java type of one value: a primitive type, {@code void}, or a record. */
    private @Nullable String value(String base, int line) {
        String primitive = types.primitive(base);
        if (primitive != null) {
            return primitive;
        }
        List<CField> fields = types.structure(base);
        if (fields == null) {
            problems.add(
                    line,
                    "The type '"
                            + base
                            + "' is not declared above the start line in a way that the"
                            + " scanner can read.");
            return null;
        }
        String plain = base.replaceFirst("^struct ", "").replaceFirst("(?<=.)_t$", "");
        String name = capitalised(Names.camel(plain));
        if (name.equals(interfaceName) || isTaken(name)) {
            name += "_";
        }
        List<CField> before = records.putIfAbsent(name, fields);
        if (before == null) {
            fields.forEach(this::component);
        } else if (!withoutLines(before).equals(withoutLines(fields))) {
            problems.add(
                    line,
                    ("Two structures become the record '%s' in Java, with different members:"
                                    + " rename '%s'.")
                            .formatted(name, base));
        }
        return name;
    }

    private static List<CField> withoutLines(List<CField> fields) {
        return fields.stream()
                .map(field -> new CField(field.name(), field.type(), field.elements(), 0))
                .toList();
    }

    /** A type of that name would hide a class that the interface names. */
    private static boolean isTaken(String name) {
        return TAKEN.contains(name)
                || BOXES.containsValue(name)
                || BYTES.keySet().stream()
                        .anyMatch(each -> name.equals(capitalised(each) + "Cell"));
    }

    private static String capitalised(String name) {
        return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
    }

    /** Whether values of a shape are written in Java as something that may be null. */
    static boolean mayBeNull(Shape shape) {
        return shape != Shape.OBJ;
    }
}
