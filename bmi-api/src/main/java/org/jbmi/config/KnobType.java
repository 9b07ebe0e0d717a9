package org.jbmi.config;

import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * How the text of a knob is read.
 *
 * @param label for print-outs, for example {@code "number"}
 * @param valueClass the class of its values
 * @param parser reads a text, or throws IllegalArgumentException
 * @param describe says what is allowed
 * @param <T> the type of its values
 */
public record KnobType<T>(
        String label,
        Class<T> valueClass,
        BiFunction<Knob<T>, String, T> parser,
        Function<Knob<T>, String> describe) {
    /** The unit of a number that may end in k, m or g. */
    static final String BYTES = "bytes";

    /** A whole number between two bounds; one of bytes may end in k, m or g (powers of 1024). */
    public static final KnobType<Long> NUMBER =
            new KnobType<>(
                    "number",
                    Long.class,
                    KnobType::parseNumber,
                    k -> "a whole number from " + k.min() + " to " + k.max() + unit(k));

    /**
     * {@code true}, {@code on}, {@code yes} or 1; or {@code false}, {@code off}, {@code no} or 0.
     */
    public static final KnobType<Boolean> FLAG =
            new KnobType<>("flag", Boolean.class, KnobType::parseFlag, k -> "true or false");

    /** Any text. */
    public static final KnobType<String> TEXT =
            new KnobType<>("text", String.class, (k, s) -> s, k -> "a text");

    /** The path of a file or folder. The empty path would mean the current folder. */
    public static final KnobType<String> PATH =
            new KnobType<>(
                    "path", String.class, KnobType::parsePath, k -> "a path, which is not empty");

    /** One of several words. */
    public static final KnobType<String> CHOICE =
            new KnobType<>(
                    "choice",
                    String.class,
                    KnobType::parseChoice,
                    k -> "one of " + String.join(", ", k.choices()));

    T parse(Knob<T> knob, String text) {
        return parser.apply(knob, text);
    }

    String expectation(Knob<T> knob) {
        return describe.apply(knob);
    }

    private static String unit(Knob<?> knob) {
        return knob.unit().isEmpty() ? "" : " " + knob.unit();
    }

    private static Long parseNumber(Knob<Long> knob, String text) {
        long value = isBytes(knob) ? parseBytes(text) : Long.parseLong(text);
        if (value < knob.min() || value > knob.max()) {
            throw new IllegalArgumentException("out of bounds");
        }
        return value;
    }

    private static boolean isBytes(Knob<?> knob) {
        return knob.unit().equals(BYTES);
    }

    private static long parseBytes(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("empty");
        }
        int shift = shiftOf(text.toLowerCase(Locale.ROOT).charAt(text.length() - 1));
        long number = Long.parseLong(shift == 0 ? text : text.substring(0, text.length() - 1));
        if (number > Long.MAX_VALUE >> shift || number < Long.MIN_VALUE >> shift) {
            throw new IllegalArgumentException("too large");
        }
        return number << shift;
    }

    private static int shiftOf(char suffix) {
        return switch (suffix) {
            case 'k' -> 10;
            case 'm' -> 20;
            case 'g' -> 30;
            default -> 0;
        };
    }

    private static Boolean parseFlag(Knob<Boolean> knob, String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "on", "yes", "1" -> true;
            case "false", "off", "no", "0" -> false;
            default -> throw new IllegalArgumentException(knob.name());
        };
    }

    private static String parsePath(Knob<String> knob, String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("empty");
        }
        return text;
    }

    private static String parseChoice(Knob<String> knob, String text) {
        if (!knob.choices().contains(text)) {
            throw new IllegalArgumentException("no such choice");
        }
        return text;
    }
}
