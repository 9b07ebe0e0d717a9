package org.jbmi.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.EnvironmentSettings.BrokerPlace;
import org.jbmi.testsuite.Expect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Map;

/** An environment sees what a daemon in a process of its own counts. */
@Timeout(120)
class DaemonProcessTest {
    private static final String ATTACHED = "zbmi.sessions.attached";

    @Test
    void countersOfADaemonInAnotherProcessAreRead() {
        try (DaemonEnvironment environment =
                new DaemonEnvironment(
                        EnvironmentSettings.DEFAULT.withBroker(BrokerPlace.OWN_PROCESS),
                        Map.of(),
                        Map.of())) {
            try (Bmi server = environment.serverBuilder(0).open()) {
                assertThat(server.isClosed()).isFalse();
                Expect.eventually(
                        () -> environment.broker().counter(ATTACHED) == 1, "the server is counted");
            }
            assertThat(environment.broker().counter("zbmi.faults")).isZero();
            assertThatThrownBy(() -> environment.broker().counter("zbmi.renamed"))
                    .hasMessageContaining("zbmi.renamed");
            assertThat(environment.broker().isRunning()).isTrue();
        }
    }

    @Test
    void countersOfADaemonInThisProcessExist() {
        try (DaemonEnvironment environment =
                new DaemonEnvironment(EnvironmentSettings.DEFAULT, Map.of(), Map.of())) {
            assertThat(environment.broker().counter(ATTACHED)).isZero();
            assertThatThrownBy(() -> environment.broker().counter("zbmi.renamed"))
                    .hasMessageContaining("zbmi.renamed");
        }
    }
}
