package org.jbmi.zbmi.daemon.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;

/** Ranges of addresses. */
@Timeout(30)
class AddressRangesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "127.0.0.0/8,::1/128; 127.9.8.7; true",
                "127.0.0.0/8,::1/128; ::1; true",
                "127.0.0.0/8,::1/128; 128.0.0.1; false",
                "10.1.128.0/17; 10.1.200.3; true",
                "10.1.128.0/17; 10.1.127.3; false",
                "192.168.1.7; 192.168.1.7; true",
                "192.168.1.7; 192.168.1.8; false",
                "0.0.0.0/0; 8.8.8.8; true",
                "0.0.0.0/0; fe80::1; false",
                "fe80::/10; fe80::1; true",
                "'  '; 127.0.0.1; false",
            })
    void contains(String ranges, String address, boolean expected) {
        assertThat(AddressRanges.parse(ranges).contains(InetAddress.ofLiteral(address)))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "example.org",
                "10.0.0.0.0/8",
                "1.2.3.4/x",
                "192.168/16",
                "10/8",
                "10.1"
            })
    void nonsenseIsRefused(String ranges) {
        assertThatThrownBy(() -> AddressRanges.parse(ranges))
                .isInstanceOf(BmiException.class)
                .hasMessageContaining(ranges);
    }
}
