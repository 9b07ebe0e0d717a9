package org.jbmi.tools.text;

import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Locale;

/** Writes one JSON value on one line, in characters of ASCII only. Not thread-safe. */
public final class JsonWriter {
    private final StringWriter out = new StringWriter();
    private final JsonGenerator json;

    /** A call of the library's writer; writing to memory does not fail. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    /** Makes an empty writer. */
    public JsonWriter() {
        try {
            // Lone halves of surrogate pairs have no UTF-8 form, so they are escaped as well.
            json =
                    new JsonFactoryBuilder()
                            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                            .build()
                            .createGenerator(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private JsonWriter write(Step step) {
        try {
            step.run();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Begins an object, as a value. */
    public JsonWriter beginObject() {
        return write(json::writeStartObject);
    }

    /** Begins an array, as a value. */
    public JsonWriter beginArray() {
        return write(json::writeStartArray);
    }

    /** Ends the object or array that was begun last. */
    public JsonWriter end() {
        return json.getOutputContext().inObject()
                ? write(json::writeEndObject)
                : write(json::writeEndArray);
    }

    /**
     * Writes the name of the next value.
     *
     * @param name any text
     */
    public JsonWriter name(String name) {
        return write(() -> json.writeFieldName(name));
    }

    /**
     * Writes a text, or null.
     *
     * @param text any text
     */
    public JsonWriter value(@Nullable String text) {
        return write(() -> json.writeString(text));
    }

    /**
     * Writes a whole number.
     *
     * @param number any
     */
    public JsonWriter value(long number) {
        return write(() -> json.writeNumber(number));
    }

    /** Writes true or false. */
    public JsonWriter value(boolean flag) {
        return write(() -> json.writeBoolean(flag));
    }

    /**
     * Writes a number with one decimal.
     *
     * @param number finite
     */
    public JsonWriter value(double number) {
        return value(number, 1);
    }

    /**
     * Writes a number.
     *
     * @param number finite
     * @param decimals how many
     */
    public JsonWriter value(double number, int decimals) {
        if (!Double.isFinite(number)) {
            throw new IllegalArgumentException("JSON has no " + number + ".");
        }
        String text = String.format(Locale.ROOT, "%." + decimals + "f", number);
        return write(() -> json.writeNumber(text));
    }

    /** {@return the whole value without a line break, once everything that was begun has ended} */
    @Override
    public String toString() {
        if (!json.getOutputContext().inRoot()) {
            throw new IllegalStateException("An object or an array is still open.");
        }
        write(json::flush);
        return out.toString();
    }
}
