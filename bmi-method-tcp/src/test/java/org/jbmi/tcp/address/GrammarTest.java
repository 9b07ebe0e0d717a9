package org.jbmi.tcp.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.tcp.wire.Dialect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.util.List;

/** Addresses, ranges, and who is trusted. */
class GrammarTest {
    private static List<TcpEndpoint> parse(String address) {
        return TcpAddressGrammar.parse(address, Dialect.STANDALONE, "");
    }

    @Test
    void hostsAndPorts() {
        assertThat(parse("tcp://host:80"))
                .containsExactly(new TcpEndpoint("tcp://host:80", "", "host", 80));
        assertThat(parse("tcp://127.0.0.1:0").getFirst().isNumeric()).isTrue();
        assertThat(parse("tcp://[::1]:65535").getFirst().host()).isEqualTo("::1");
        assertThat(parse("tcp://host").getFirst().port()).isZero();
        assertThat(parse("tcp://a-b.c_d:1").getFirst().isNumeric()).isFalse();
    }

    @Test
    void severalElements() {
        assertThat(parse("tcp://a:1,foo://x,tcp://b:2,gm://c"))
                .extracting(TcpEndpoint::host)
                .containsExactly("a", "b");
    }

    @Test
    void zones() {
        String address = "tcp-red://a:1,tcp-blue://b:2,tcp://c:3";
        assertThat(parse(address)).hasSize(3);
        assertThat(TcpAddressGrammar.parse(address, Dialect.ORANGEFS, "blue"))
                .extracting(TcpEndpoint::host)
                .containsExactly("b");
        assertThatThrownBy(() -> TcpAddressGrammar.parse(address, Dialect.ORANGEFS, "green"))
                .isInstanceOf(BmiException.class);
    }

    @Test
    void portIsMandatoryInOrangeFs() {
        assertThatThrownBy(() -> TcpAddressGrammar.parse("tcp://a", Dialect.ORANGEFS, ""))
                .isInstanceOfSatisfying(
                        BmiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.ENOPROTOOPT));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tcp:",
                "tcp:/",
                "tcp://",
                "xtcp://a:1",
                "tcp://a:",
                "tcp://a:1x",
                "tcp://a:+1",
                "tcp://a:70000",
                "tcp://a:1/fs",
                "tcp://a b:1",
                "tcp://:1",
                "tcp://a:1,",
                "tcp://a:1,,tcp://b:2",
                "tcp://[a]:1",
                "tcp://[::1:1",
                "tcp://[1.2.3.4]:1",
                "tcp://1.2.3.999:1",
                "tcp://10.1:80",
                "tcp://10.0.1:80",
                "tcp://10:80",
                "tcp://10.1",
                "tcp://-a:1",
                "tcp://a-:1",
                "tcp-re:d://a:1",
                "foo://a:1",
                "tcp-a,b://c:1",
                "TCP://a:1",
                "tcp://a:1 ",
                "tcp://a::1"
            })
    void malformed(String address) {
        assertThatThrownBy(() -> parse(address))
                .isInstanceOfSatisfying(
                        BmiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.ENOPROTOOPT));
    }

    private static boolean inRange(String pattern, int prefix, String address) {
        return AddressRange.parse(pattern, prefix).contains(InetAddress.ofLiteral(address));
    }

    @Test
    void ranges() {
        assertThat(inRange("tcp://127.0.0.1", -1, "127.0.0.1")).isTrue();
        assertThat(inRange("tcp://127.0.0.9", -1, "127.0.0.1")).isFalse();
        assertThat(inRange("tcp://127.*", -1, "127.0.0.1")).isTrue();
        assertThat(inRange("tcp://127.*.*.*", -1, "127.0.0.1")).isTrue();
        assertThat(inRange("tcp://127.*.0.2", -1, "127.0.0.1")).isFalse();
        assertThat(inRange("tcp://*", -1, "10.0.0.1")).isTrue();
        assertThat(inRange("tcp://10.1.2.0", 24, "10.1.2.255")).isTrue();
        assertThat(inRange("tcp://10.1.2.0", 23, "10.1.4.1")).isFalse();
        assertThat(inRange("tcp://1.2.3.4", 0, "10.1.4.1")).isTrue();
        assertThat(inRange("tcp://10.1.2.3", 32, "10.1.2.4")).isFalse();
        assertThat(inRange("tcp://[fd00::]", 8, "fd12::1")).isTrue();
        assertThat(inRange("tcp://[fd00::]", 8, "fe80::1")).isFalse();
        assertThat(inRange("tcp://10.0.0.0", 8, "::1")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "tcp://127.0", "tcp://1.2.3.256", "tcp://", "tcp://a.*"})
    void malformedRanges(String pattern) {
        assertThatThrownBy(() -> AddressRange.parse(pattern, -1))
                .isInstanceOfSatisfying(
                        BmiException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EINVAL));
    }

    @Test
    void malformedNetwork() {
        assertThatThrownBy(() -> AddressRange.parse("tcp://10.1", 16))
                .isInstanceOfSatisfying(
                        BmiException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EINVAL));
    }

    @Test
    void trust() {
        InetAddress ten = InetAddress.ofLiteral("10.1.1.1");
        InetAddress local = InetAddress.ofLiteral("127.0.0.1");
        assertThat(TrustedSources.parse("").accept(ten, 5)).isTrue();
        TrustedSources both = TrustedSources.parse("127.0.0.1, 192.168.0.0/16 ports=1-1023");
        assertThat(both.accept(local, 1023)).isTrue();
        assertThat(both.accept(local, 1024)).isFalse();
        assertThat(both.accept(ten, 5)).isFalse();
        TrustedSources ports = TrustedSources.parse("ports=600");
        assertThat(ports.accept(ten, 600)).isTrue();
        assertThat(ports.accept(ten, 601)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "host",
                "10",
                "10/8",
                "10.1/16",
                "192.168/16",
                "10.0.0.0/33",
                "10.0.0.0/x",
                "ports=",
                "ports=5-1",
                "ports=x"
            })
    void malformedTrust(String text) {
        assertThatThrownBy(() -> TrustedSources.parse(text)).isInstanceOf(BmiException.class);
    }
}
