package org.jbmi.zoid.processor.scan;

import java.util.List;
import java.util.Locale;
import java.util.Set;

import javax.lang.model.SourceVersion;

/** Java names for C names. */
final class Names {
    /** What no component of a record may be called. */
    private static final Set<String> METHODS_OF_OBJECTS =
            Set.of(
                    "wait",
                    "notify",
                    "notifyAll",
                    "getClass",
                    "hashCode",
                    "toString",
                    "clone",
                    "finalize");

    private static final Set<String> TAKEN =
            Set.of("equals", "init", "fini", "jobEnded", "proc", "unloaded", "abandoned");

    private Names() {}

    /** {@code read_at} becomes {@code readAt}; a word of Java's gets an underscore. */
    static String camel(String name) {
        StringBuilder camel = new StringBuilder();
        boolean upper = false;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c == '_') {
                upper = !camel.isEmpty();
            } else {
                camel.append(upper ? Character.toUpperCase(c) : c);
                upper = false;
            }
        }
        String result = camel.isEmpty() ? name : camel.toString();
        return SourceVersion.isIdentifier(result) && !SourceVersion.isKeyword(result)
                ? result
                : result + "_";
    }

    /** A name for a method: one that every object or every plug-in has gets an underscore. */
    static String method(String name) {
        String camel = component(name);
        return TAKEN.contains(camel) ? camel + "_" : camel;
    }

    /** A name for a component of a record: one that every object has gets an underscore. */
    static String component(String name) {
        String camel = camel(name);
        return METHODS_OF_OBJECTS.contains(camel) ? camel + "_" : camel;
    }

    /** What all functions begin with, up to and with the first underscore; empty if they differ. */
    static String commonPrefix(List<CFunction> functions) {
        String prefix = "";
        for (CFunction function : functions) {
            int underscore = function.name().indexOf('_');
            String own = underscore < 0 ? "" : function.name().substring(0, underscore + 1);
            if (own.length() < 2 || (!prefix.isEmpty() && !prefix.equals(own))) {
                return "";
            }
            prefix = own;
        }
        return prefix;
    }

    /**
     * The name of a plug-in: what its functions begin with, or its header file. It begins with a
     * letter.
     */
    static String plugin(String prefix, String file) {
        if (!prefix.isEmpty()) {
            return prefix.substring(0, prefix.length() - 1);
        }
        String plain = file.replaceFirst("\\.[^.]*$", "").replaceAll("[^A-Za-z0-9_]", "_");
        String name = plain.matches("[A-Za-z].*") ? plain : "plugin" + plain;
        return name.toLowerCase(Locale.ROOT);
    }
}
