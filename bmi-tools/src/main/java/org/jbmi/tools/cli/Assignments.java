package org.jbmi.tools.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Settings on a command line, {@code NAME=VALUE} each. A value may be empty, and may have further
 * equals signs.
 */
public final class Assignments {
    private Assignments() {}

    /**
     * Reads the values of an option.
     *
     * @param option that takes them, for the message
     * @param texts as the user typed them
     * @param wrong makes the exception for a text without a name or an equals sign
     * @return values by name, in the order of the texts; the last one of a name counts
     */
    public static Map<String, String> parse(
            String option, List<String> texts, Function<String, ? extends RuntimeException> wrong) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String text : texts) {
            int equals = text.indexOf('=');
            if (equals < 1) {
                throw wrong.apply(option + " takes NAME=VALUE, not " + text);
            }
            values.put(text.substring(0, equals), text.substring(equals + 1));
        }
        return values;
    }
}
