package org.jbmi.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.tcp.TcpOptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

@Timeout(60)
class ListenAddressesTest {
    /** Nobody can connect to an address without its port. */
    @ParameterizedTest
    @ValueSource(strings = {"tcp://127.0.0.1", "tcp://127.0.0.1:0", "tcp://127.0.0.1:00"})
    void thePortThatTheSystemChoseIsShown(String free) {
        try (Bmi bmi = Bmi.builder().knob("tcp.bindSpecific", "true").listen(free).open()) {
            int port = bmi.getOption(TcpOptions.PORT);
            assertThat(new ListenAddresses(List.of(free)).resolved(bmi))
                    .isEqualTo("tcp://127.0.0.1:" + port);
            assertThat(new ListenAddresses(List.of("zoid://", "tcp://[::1]:3334")).resolved(bmi))
                    .isEqualTo("zoid:// tcp://[::1]:3334");
            assertThat(new ListenAddresses(List.of("tcp://[::1]")).resolved(bmi))
                    .isEqualTo("tcp://[::1]:" + port);
        }
        assertThat(new ListenAddresses(List.of(free, "tcp-rack://127.0.0.1:1")).trouble())
                .contains("is for a single tcp address");
        assertThat(new ListenAddresses(List.of(free, "zoid://")).trouble()).isNull();
    }
}
