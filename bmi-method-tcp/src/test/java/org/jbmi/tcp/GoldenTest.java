package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.tcp.wire.Dialect;
import org.jbmi.testsuite.golden.GoldenReplay;
import org.jbmi.testsuite.golden.Recording;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;

/** What C programs sent each other, byte for byte, with the library in either role. */
@Timeout(60)
class GoldenTest {
    @ParameterizedTest
    @MethodSource("recordings")
    void replays(Recording recording) {
        assertThat(new GoldenReplay(GoldenTest::builder).replay(recording)).isNull();
    }

    static List<Recording> recordings() {
        return Recording.builtIn();
    }

    private static BmiBuilder builder(
            boolean standalone, String identity, Map<Integer, Integer> redirects) {
        TcpResolver resolver =
                (host, port) ->
                        List.of(
                                new InetSocketAddress(
                                        InetAddress.ofLiteral(host),
                                        redirects.getOrDefault(port, port)));
        return Bmi.builder()
                .knob("tcp.dialect", (standalone ? Dialect.STANDALONE : Dialect.ORANGEFS).label())
                .knob("tcp.identity", identity)
                .attach(TcpResolver.class, resolver);
    }
}
