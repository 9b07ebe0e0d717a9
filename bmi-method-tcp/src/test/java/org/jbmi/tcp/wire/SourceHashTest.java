package org.jbmi.tcp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values that the C library sent. */
class SourceHashTest {
    @ParameterizedTest
    @CsvSource({
        "tcp://127.0.0.1:47330,8244D2E5",
        "tcp://127.0.0.1:47330/,EE08138A",
        "tcp://127.0.0.1:47330/a,3A250730",
        "tcp://127.0.0.1:47330/ab,344C8D56",
        "tcp://127.0.0.1:47330/abc,A01546BC",
        "tcp://127.0.0.1:47330/abcd,1E3348A4",
        "tcp://127.0.0.1:47330/abcde,2E0BB3BD",
        "tcp://127.0.0.1:47330/abcdef,274E2F0C",
        "tcp://127.0.0.1:47330/abcdefg,CFCC37EE",
        "tcp://127.0.0.1:47330/abcdefgh,B6A68FAE",
        "tcp://127.0.0.1:47330/abcdefghi,0F03105E",
        "tcp://127.0.0.1:47330/abcdefghij,DD79B8A4",
        "tcp://127.0.0.1:47330/abcdefghijk,3996580D",
        "tcp://127.0.0.1:47330/abcdefghijkl,0097B389",
        "tcp://127.0.0.1:47310,DFB22DA7",
        "tcp://127.0.0.1:47312,D0FC7CCE"
    })
    void hashesAsTheOriginal(String address, String hash) {
        assertThat(Integer.toHexString(SourceHash.of(address)))
                .isEqualToIgnoringCase(hash.replaceFirst("^0*", ""));
    }
}
