package org.jbmi.tools.cli;

import java.util.function.Supplier;

/**
 * A setting on a command line, {@code NAME=VALUE}. The value may be empty, and may have further
 * equals signs.
 *
 * @param name before the first equals sign, never empty
 * @param value everything after it
 */
public record Assignment(String name, String value) {
    /**
     * Reads one.
     *
     * @param <X> what is thrown
     * @param text as it was typed
     * @param wrong gives what is thrown if it is anything else
     * @return its two parts
     * @throws X if there is no equals sign, or nothing before it
     */
    public static <X extends RuntimeException> Assignment parse(String text, Supplier<X> wrong) {
        int equals = text.indexOf('=');
        if (equals < 1) {
            throw wrong.get();
        }
        return new Assignment(text.substring(0, equals), text.substring(equals + 1));
    }
}
