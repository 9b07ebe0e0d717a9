package org.jbmi.config;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * The declaration of a setting, used by the builder, the system property, the environment variable,
 * the validation, {@code bin/bmi info} and the reference page.
 *
 * @param name dotted, beginning with the part it belongs to, for example {@code "zoid.eagerBytes"}
 * @param type how its text is read
 * @param unit what a number counts, for example {@code "bytes"}; empty for none
 * @param defaultText computes the default as text; may look at the machine
 * @param min least number; 0 for other types
 * @param max greatest number; 0 for other types
 * @param choices the texts allowed for {@link KnobType#CHOICE}
 * @param help one sentence for people
 * @param <T> the type of its value
 */
public record Knob<T>(
        String name,
        KnobType<T> type,
        String unit,
        Supplier<String> defaultText,
        long min,
        long max,
        List<String> choices,
        String help) {
    private static final String PREFIX = "jbmi.";

    /**
     * A whole number.
     *
     * @param name its name
     * @param unit what it counts; for bytes and milliseconds see {@link #bytes} and {@link #millis}
     * @param defaultValue its default
     * @param min least value
     * @param max greatest value
     * @param help one sentence
     * @return a declaration
     */
    public static Knob<Long> number(
            String name, String unit, long defaultValue, long min, long max, String help) {
        String text = Long.toString(defaultValue);
        return new Knob<>(name, KnobType.NUMBER, unit, () -> text, min, max, List.of(), help);
    }

    /**
     * A number of bytes, whose text may end in k, m or g.
     *
     * @param name its name
     * @param defaultValue its default
     * @param min least value
     * @param max greatest value
     * @param help one sentence
     * @return a declaration
     */
    public static Knob<Long> bytes(
            String name, long defaultValue, long min, long max, String help) {
        return number(name, KnobType.BYTES, defaultValue, min, max, help);
    }

    /**
     * A time in milliseconds.
     *
     * @param name its name
     * @param defaultValue its default
     * @param min least value
     * @param max greatest value
     * @param help one sentence
     * @return a declaration
     */
    public static Knob<Long> millis(
            String name, long defaultValue, long min, long max, String help) {
        return number(name, "ms", defaultValue, min, max, help);
    }

    /**
     * A switch.
     *
     * @param name its name
     * @param defaultValue its default
     * @param help one sentence
     * @return a declaration
     */
    public static Knob<Boolean> flag(String name, boolean defaultValue, String help) {
        String text = Boolean.toString(defaultValue);
        return new Knob<>(name, KnobType.FLAG, "", () -> text, 0, 0, List.of(), help);
    }

    /**
     * The path of a file or folder; the empty one is refused.
     *
     * @param name its name
     * @param defaultText computes its default
     * @param help one sentence
     * @return a declaration
     */
    public static Knob<String> path(String name, Supplier<String> defaultText, String help) {
        return new Knob<>(name, KnobType.PATH, "", defaultText, 0, 0, List.of(), help);
    }

    /**
     * A text, which may be empty.
     *
     * @param name its name
     * @param defaultText computes its default
     * @param help one sentence
     * @return a declaration
     */
    public static Knob<String> text(String name, Supplier<String> defaultText, String help) {
        return new Knob<>(name, KnobType.TEXT, "", defaultText, 0, 0, List.of(), help);
    }

    /**
     * One of several words.
     *
     * @param name its name
     * @param choices the words; the first is the default
     * @param help one sentence
     * @return a declaration
     */
    public static Knob<String> choice(String name, List<String> choices, String help) {
        String text = choices.get(0);
        return new Knob<>(name, KnobType.CHOICE, "", () -> text, 0, 0, List.copyOf(choices), help);
    }

    /**
     * The system property that sets it.
     *
     * @return for example {@code "jbmi.zoid.eagerBytes"}
     */
    public String propertyName() {
        return PREFIX + name;
    }

    /**
     * The environment variable that sets it.
     *
     * @return for example {@code "JBMI_ZOID_EAGER_BYTES"}
     */
    public String environmentName() {
        String words = (PREFIX + name).replaceAll("([a-z0-9])([A-Z])", "$1_$2");
        return words.replace('.', '_').toUpperCase(Locale.ROOT);
    }

    /**
     * Reads a text as this knob's value.
     *
     * @param text the value as text; numbers may end in k, m or g for powers of 1024 if they count
     *     bytes
     * @param origin where it was written, for the message
     * @return the value
     * @throws BmiException with {@link ErrorCode#EINVAL} and a sentence that names knob, origin and
     *     bounds
     */
    public T parse(String text, String origin) {
        try {
            return type.parse(this, text.strip());
        } catch (IllegalArgumentException e) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "The knob %s (set by %s) is \"%s\", but it must be %s."
                            .formatted(name, origin, text, type.expectation(this)),
                    e);
        }
    }
}
