package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.shipper.Records.Number;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.time.Duration;
import java.util.List;

/** A server whose instance counts a reference for each message; the server gives all back. */
@Timeout(60)
class ReferencesTest {
    static final List<String> METHODS = Setup.METHODS;
    private static final Duration SOON = Duration.ofSeconds(20);

    private static long counter(Bmi bmi, String label) {
        bmi.counters(); // refreshes the gauges
        return bmi.counters().find(label).get();
    }

    private static void until(Setup setup, String label, long value) {
        Setup.untilEqual(label, value, () -> counter(setup.server, label));
    }

    private static void echo(Setup setup, Shipper client, long value) throws Exception {
        assertThat(
                        client.function("echo", Number.class, Number.class)
                                .call(setup.address(), new Number(value), SOON))
                .isEqualTo(new Number(value));
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aClientIsKnownUntilItsLastSessionEnds(String method) throws Exception {
        try (Setup setup = Setup.countingReferences(method);
                ShipperServer server =
                        Shipper.builder(setup.server).releasingReferences().server()) {
            server.register("echo", Number.class, Number.class, Call::input).start();
            try (Shipper first = Shipper.on(setup.client)) {
                try (Shipper second = Shipper.on(setup.client)) {
                    echo(setup, first, 1);
                    echo(setup, second, 2);
                    until(setup, "shipper.server.sessions", 2);
                }
                until(setup, "shipper.server.sessions", 1);
                echo(setup, first, 3);
                assertThat(counter(setup.server, "bmi.peers")).isEqualTo(1);
            }
            until(setup, "bmi.peers", 0);
            try (Shipper third = Shipper.on(setup.client)) {
                echo(setup, third, 4);
                assertThat(counter(setup.server, "bmi.peers")).isEqualTo(1);
            }
            until(setup, "bmi.peers", 0);
            assertThat(counter(setup.server, "shipper.server.brokenSessions")).isZero();
        }
    }
}
