package org.jbmi.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.EnvironmentSettings.BrokerPlace;
import org.jbmi.testsuite.Expect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.file.Files;
import java.util.Map;

/** An environment sees what a daemon in a process of its own counts. */
@Timeout(120)
class DaemonProcessTest {
    private static final String ATTACHED = "zbmi.sessions.attached";

    @Test
    void countersOfADaemonInAnotherProcessAreRead() {
        try (DaemonEnvironment environment = ownProcess()) {
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

    /** The answer would be that of the next one who asks. */
    @Test
    void aDaemonWhoseAnswerNobodyTakesIsKilled() {
        try (DaemonEnvironment environment = ownProcess()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> environment.broker().counter(ATTACHED))
                    .hasMessageContaining(ATTACHED);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(environment.broker().isRunning()).isFalse();
        }
    }

    @Test
    void anInterruptedThreadStopsADaemon() {
        try (DaemonEnvironment environment = ownProcess()) {
            ProcessHandle daemon = ProcessHandle.of(environment.broker().processId()).orElseThrow();
            Thread.currentThread().interrupt();
            environment.broker().stop();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(daemon.isAlive()).isFalse();
        }
    }

    /** The watchdog of a case interrupts its thread. */
    @Test
    @SuppressWarnings("try") // closed twice: the first time it fails
    void anInterruptedCloseLeavesNoDirectory() {
        try (DaemonEnvironment environment = ownProcess()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(environment::close).hasMessageContaining(ATTACHED);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(environment.directory()).doesNotExist();
        }
    }

    private static DaemonEnvironment ownProcess() {
        return new DaemonEnvironment(
                EnvironmentSettings.DEFAULT.withBroker(BrokerPlace.OWN_PROCESS),
                Map.of(),
                Map.of());
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

    @Test
    void filesAreReportedAfterADaemonThatEnded() throws Exception {
        DaemonEnvironment environment =
                new DaemonEnvironment(EnvironmentSettings.DEFAULT, Map.of(), Map.of());
        try (environment) {
            environment.broker().stop();
            Files.createFile(environment.directory().resolve("left"));
        }
        assertThat(environment.leftovers()).containsExactly("file: left");
    }

    /** Its files stay for the next daemon, which is not started here. */
    @Test
    void filesOfAKilledDaemonAreNotReported() {
        DaemonEnvironment environment = ownProcess();
        try (environment) {
            environment.broker().kill();
            assertThat(environment.held()).isEmpty();
        }
        assertThat(environment.leftovers()).isEmpty();
    }
}
