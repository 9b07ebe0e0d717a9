package org.jbmi.tools.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantitiesTest {
    @ParameterizedTest
    @CsvSource({"0,0", "1000,1000", "64k,65536", "64K,65536", "16m,16777216", "2g,2147483648"})
    void readsBytes(String text, long bytes) {
        assertThat(Quantities.parseBytes(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "k", "-1", "-1k", "1t", "1.5m", "9999999999g", "banana", "1 k"})
    void refusesWhatIsNoNumberOfBytes(String text) {
        assertThatThrownBy(() -> Quantities.parseBytes(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"" + text + "\"");
    }

    @ParameterizedTest
    @CsvSource({
        "0,0 bytes",
        "1,1 byte",
        "1023,1023 bytes",
        "1024,1.0 KiB",
        "145959730,139.2 MiB",
        "3221225472,3.0 GiB"
    })
    void writesBytes(long bytes, String text) {
        assertThat(Quantities.bytes(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"1048576,1000000000,1.0", "1048576,0,0.0", "0,5,0.0", "2097152,500000000,4.0"})
    void computesRates(long bytes, long nanos, double rate) {
        assertThat(Quantities.mibPerSecond(bytes, nanos)).isEqualTo(rate);
    }
}
