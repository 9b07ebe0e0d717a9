package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the address of a gateway is read. */
@Timeout(30)
class LinkAddressTest {
    /** Java takes 10.1 for 10.0.0.1. */
    @ParameterizedTest
    @ValueSource(strings = {"10.1:80", "10.1.1:80", "167772161:80", "1.2.3.4.5:80", "[10.1]:80"})
    void anIpv4AddressHasFourParts(String text) {
        assertThatThrownBy(() -> LinkAddress.checkSyntax(text))
                .isInstanceOfSatisfying(
                        BmiException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EINVAL))
                .hasMessageContaining(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1:80", "[::1]:80"})
    void aWholeAddressIsTaken(String text) {
        assertThat(LinkAddress.text(LinkAddress.parse(text)))
                .isEqualTo(text.replace("[::1]", "[0:0:0:0:0:0:0:1]"));
    }
}
