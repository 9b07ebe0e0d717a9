package org.jbmi.tools.text;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;

/**
 * Writes one JSON value on one line. Small on purpose: the command line prints a few objects and
 * reads none, and a library would cost more at start-up than the print-out itself. Not thread-safe.
 */
public final class JsonWriter {
    private final StringBuilder out = new StringBuilder();
    private final Deque<Character> open = new ArrayDeque<>();
    private boolean needsComma;

    /** Makes an empty writer. */
    public JsonWriter() {}

    /**
     * Begins an object, as a value.
     *
     * @return this
     */
    public JsonWriter beginObject() {
        return begin('{', '}');
    }

    /**
     * Begins an array, as a value.
     *
     * @return this
     */
    public JsonWriter beginArray() {
        return begin('[', ']');
    }

    /**
     * Ends the object or array that was begun last.
     *
     * @return this
     */
    public JsonWriter end() {
        out.append(open.pop().charValue());
        needsComma = true;
        return this;
    }

    /**
     * Writes the name of the next value.
     *
     * @param name any text
     * @return this
     */
    public JsonWriter name(String name) {
        separate();
        quote(name);
        out.append(':');
        needsComma = false;
        return this;
    }

    /**
     * Writes a text, or null.
     *
     * @param text any text
     * @return this
     */
    public JsonWriter value(@Nullable String text) {
        separate();
        if (text == null) {
            out.append("null");
        } else {
            quote(text);
        }
        needsComma = true;
        return this;
    }

    /**
     * Writes a whole number.
     *
     * @param number any
     * @return this
     */
    public JsonWriter value(long number) {
        return raw(Long.toString(number));
    }

    /**
     * Writes true or false.
     *
     * @param flag which
     * @return this
     */
    public JsonWriter value(boolean flag) {
        return raw(Boolean.toString(flag));
    }

    /**
     * Writes a number with one decimal.
     *
     * @param number finite
     * @return this
     */
    public JsonWriter value(double number) {
        if (!Double.isFinite(number)) {
            throw new IllegalArgumentException("JSON has no " + number + ".");
        }
        return raw(String.format(Locale.ROOT, "%.1f", number));
    }

    /**
     * Writes a number.
     *
     * @param number finite
     * @param decimals how many
     * @return this
     */
    public JsonWriter value(double number, int decimals) {
        if (!Double.isFinite(number)) {
            throw new IllegalArgumentException("JSON has no " + number + ".");
        }
        return raw(String.format(Locale.ROOT, "%." + decimals + "f", number));
    }

    /**
     * The whole value, once everything that was begun has ended.
     *
     * @return JSON without a line break
     */
    @Override
    public String toString() {
        if (!open.isEmpty()) {
            throw new IllegalStateException(open.size() + " objects or arrays are still open.");
        }
        return out.toString();
    }

    private JsonWriter begin(char opening, char closing) {
        separate();
        out.append(opening);
        open.push(closing);
        needsComma = false;
        return this;
    }

    private JsonWriter raw(String text) {
        separate();
        out.append(text);
        needsComma = true;
        return this;
    }

    private void separate() {
        if (needsComma) {
            out.append(',');
        }
    }

    private void quote(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> plainOrEscaped(c);
            }
        }
        out.append('"');
    }

    private void plainOrEscaped(char c) {
        // Lone halves of surrogate pairs have no UTF-8 form, so they are escaped as well.
        if (c < ' ' || c == 0x7f || Character.isSurrogate(c)) {
            out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
        } else {
            out.append(c);
        }
    }
}
