package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.tcp.wire.Dialect;
import org.jbmi.testsuite.golden.GoldenReplay;
import org.jbmi.testsuite.golden.Recording;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    /** One byte of a payload, or one word of what a program saw: each makes the replay fail. */
    @ParameterizedTest
    @CsvSource({
        "expected_c2s_100.json, 6b8aa9c8, 6b8ba9c8",
        "expected_s2c_100.json, error=0 actual=100, error=-1 actual=100",
        "recv_larger_than_send.json, posted=5000 error=0 actual=100, posted=5000 error=0 actual=99",
        "unexpected_c7_100.json, error=0 size=100, error=0 size=101",
        "rendezvous_c2s_102400.json, fe1b284e, fe1b284f",
        "unexpected_too_big_16385.json, rc=-1073741994, rc=-1073741995"
    })
    void anAlteredRecordingIsFound(String name, String recorded, String altered) {
        String text = Recording.text(name);
        assertThat(text).contains(recorded);
        String found;
        try {
            Recording recording = Recording.parse(text.replaceFirst(recorded, altered));
            found = new GoldenReplay(GoldenTest::builder).replay(recording);
        } catch (IllegalArgumentException e) {
            found = e.getMessage();
        }
        assertThat(found).isNotNull();
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
