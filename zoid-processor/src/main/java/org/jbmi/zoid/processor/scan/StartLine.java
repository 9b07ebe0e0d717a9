package org.jbmi.zoid.processor.scan;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The comment where the scanner begins to read: {@code START-ZOID-SCANNER ID=n INIT=s FINI=s
 * PROC=s}.
 *
 * @param id the number of the plug-in
 * @param init the C function that is told of a job, or null
 * @param fini the C function that is told of a job's end, or null
 * @param proc the C function that is told of processes, or null
 * @param line where it stands
 */
record StartLine(
        int id, @Nullable String init, @Nullable String fini, @Nullable String proc, int line) {
    private static final String MAGIC = "START-ZOID-SCANNER";
    private static final int HIGHEST_ID = 65_535;
    private static final List<String> FIELDS = List.of("ID", "INIT", "FINI", "PROC");

    static boolean isOne(Token token) {
        return token.kind() == Token.Kind.COMMENT && token.text().startsWith(MAGIC);
    }

    static StartLine parse(Token token, Problems problems) {
        Map<String, String> fields = new HashMap<>();
        for (String word : token.text().substring(MAGIC.length()).strip().split("\\s+", -1)) {
            int equals = word.indexOf('=');
            String name = equals < 0 ? word : word.substring(0, equals);
            if (word.isEmpty()) {
                continue;
            }
            if (equals < 0 || !FIELDS.contains(name)) {
                problems.add(
                        token.line(),
                        "The start line has '" + word + "'; it may have ID, INIT, FINI and PROC.");
            } else if (fields.put(name, word.substring(equals + 1)) != null) {
                problems.add(token.line(), "The start line says " + name + " twice.");
            }
        }
        return new StartLine(
                id(fields.get("ID"), token.line(), problems),
                function(fields, "INIT", token.line(), problems),
                function(fields, "FINI", token.line(), problems),
                function(fields, "PROC", token.line(), problems),
                token.line());
    }

    private static int id(@Nullable String text, int line, Problems problems) {
        if (text == null) {
            problems.add(line, "The start line needs the number of the plug-in: ID=1 to 65535.");
            return 0;
        }
        if (!text.matches("[0-9]{1,9}") || Integer.parseInt(text) > HIGHEST_ID) {
            problems.add(line, "ID=" + text + " is not a number from 1 to 65535.");
            return 0;
        }
        int id = Integer.parseInt(text);
        if (id == 0) {
            problems.add(line, "ID=0 is the daemon itself; take another number.");
        }
        return id;
    }

    /** The function that a field names: null for NULL, and for a field that is not there. */
    private static @Nullable String function(
            Map<String, String> fields, String field, int line, Problems problems) {
        String name = fields.get(field);
        if (name == null || name.equals("NULL")) {
            return null;
        }
        if (!name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
            problems.add(
                    line, field + "=" + name + " is not the name of a C function, and not NULL.");
            return null;
        }
        return name;
    }
}
