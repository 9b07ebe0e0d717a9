package org.jbmi.zoid.processor.scan;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The types of C, and those that a header declares. Sizes are those of 64-bit Linux. */
final class CTypes {
    private static final Map<String, String> KNOWN = known();

    private final Constants constants;
    private final Map<String, CType> names = new HashMap<>();
    private final Map<String, List<CField>> structures = new HashMap<>();

    /** Knows the constants that a header defines. */
    CTypes(Constants constants) {
        this.constants = constants;
    }

    private static Map<String, String> known() {
        Map<String, List<String>> byJava =
                Map.of(
                        "byte",
                        List.of("char", "signed char", "unsigned char", "int8_t", "uint8_t"),
                        "short",
                        List.of(
                                "short",
                                "short int",
                                "signed short",
                                "unsigned short",
                                "unsigned short int",
                                "int16_t",
                                "uint16_t"),
                        "int",
                        List.of(
                                "int",
                                "signed",
                                "unsigned",
                                "signed int",
                                "unsigned int",
                                "int32_t",
                                "uint32_t",
                                "mode_t",
                                "uid_t",
                                "gid_t",
                                "pid_t",
                                "id_t",
                                "socklen_t"),
                        "long",
                        List.of(
                                "long",
                                "long int",
                                "signed long",
                                "unsigned long",
                                "unsigned long int",
                                "long unsigned",
                                "long unsigned int",
                                "long long",
                                "long long int",
                                "unsigned long long",
                                "unsigned long long int",
                                "int64_t",
                                "uint64_t",
                                "size_t",
                                "ssize_t",
                                "off_t",
                                "off64_t",
                                "loff_t",
                                "time_t",
                                "dev_t",
                                "ino_t",
                                "ino64_t",
                                "nlink_t",
                                "blksize_t",
                                "blkcnt_t",
                                "intptr_t",
                                "uintptr_t",
                                "suseconds_t"),
                        "float",
                        List.of("float"),
                        "double",
                        List.of("double"),
                        "boolean",
                        List.of("bool", "_Bool"),
                        "void",
                        List.of("void"));
        Map<String, String> known = new HashMap<>();
        byJava.forEach((java, names) -> names.forEach(name -> known.put(name, java)));
        return Map.copyOf(known);
    }

    void name(String name, CType type) {
        names.put(name, type);
    }

    void structure(String name, List<CField> fields) {
        structures.put(name, List.copyOf(fields));
    }

    /** The value of what stands in the brackets of an array; negative if it cannot be read. */
    int constant(String text) {
        return constants.value(text);
    }

    /** The type behind the names that stand for it. */
    CType resolve(CType type) {
        CType found = type;
        Set<String> seen = new HashSet<>();
        while (!KNOWN.containsKey(found.base()) && seen.add(found.base())) {
            CType named = names.get(found.base());
            if (named == null) {
                break;
            }
            found = new CType(named.base(), named.addresses() + found.addresses());
        }
        return found;
    }

    /** The Java type of a number, or {@code void}; null if it is no type that C has. */
    @Nullable String primitive(String base) {
        return KNOWN.get(base);
    }

    /** The members of a structure; null if it is none that could be read. */
    @Nullable List<CField> structure(String base) {
        return structures.get(base);
    }

    /** Whether a structure has addresses in it, or holds one that has. */
    boolean holdsAddresses(String base) {
        return holdsAddresses(base, new HashSet<>());
    }

    private boolean holdsAddresses(String base, Set<String> seen) {
        List<CField> fields = structures.get(base);
        if (fields == null || !seen.add(base)) {
            return false;
        }
        for (CField field : fields) {
            CType type = resolve(field.type());
            if (type.addresses() > 0 || holdsAddresses(type.base(), seen)) {
                return true;
            }
        }
        return false;
    }
}
