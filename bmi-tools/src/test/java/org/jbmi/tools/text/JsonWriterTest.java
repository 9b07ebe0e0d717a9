package org.jbmi.tools.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class JsonWriterTest {
    @Test
    void writesNestedObjectsAndArrays() {
        String json =
                new JsonWriter()
                        .beginObject()
                        .name("a")
                        .beginArray()
                        .value(1L)
                        .value("two")
                        .beginObject()
                        .end()
                        .value(true)
                        .end()
                        .name("b")
                        .value((String) null)
                        .name("c")
                        .value(0.25)
                        .end()
                        .toString();
        assertThat(json).isEqualTo("{\"a\":[1,\"two\",{},true],\"b\":null,\"c\":0.3}");
    }

    @Test
    void escapesWhatJsonDoesNotAllow() {
        String text = "\"\\\n\r\t\u0001\ud83d\ude00é";
        assertThat(new JsonWriter().value(text).toString())
                .isEqualTo("\"\\\"\\\\\\n\\r\\t\\u0001\\uD83D\\uDE00\\u00E9\"");
    }

    @Test
    void refusesAnUnfinishedValue() {
        JsonWriter json = new JsonWriter().beginObject();
        assertThatThrownBy(json::toString).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void refusesNumbersThatJsonLacks() {
        assertThatThrownBy(() -> new JsonWriter().value(Double.NaN))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
