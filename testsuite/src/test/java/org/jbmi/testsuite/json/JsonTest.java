package org.jbmi.testsuite.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What is JSON is read, and nothing else. */
@Timeout(20)
class JsonTest {
    @Test
    void everyKindOfValueIsRead() {
        Object value = Json.parse(" {\"a\":[1,-2.5,true,false,null,\"\\u00e9\\n\"],\"b\":{}} ");
        assertThat(value)
                .isEqualTo(
                        Map.of(
                                "a",
                                Arrays.asList(1L, -2.5, true, false, null, "é\n"),
                                "b",
                                Map.of()));
        assertThat(Json.parse("[]")).isEqualTo(List.of());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[1, 2",
                "{\"a\":1",
                "{\"a\":1,\"a\":2}",
                "[1] [2]",
                "{a:1}",
                "[01]",
                "[1,]",
                "[\"\t\"]",
                "[9223372036854775808]",
                "nothing"
            })
    void whatIsNoJsonIsRefused(String text) {
        assertThatThrownBy(() -> Json.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatIsTooDeepIsRefused() {
        assertThat(Json.parse("[".repeat(64) + "]".repeat(64))).isNotNull();
        assertThatThrownBy(() -> Json.parse("[".repeat(65) + "]".repeat(65)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
