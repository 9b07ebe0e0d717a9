package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zoid.daemon.plugin.Plugins;
import org.jbmi.zoid.forward.wire.Attendance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** Jobs that cannot begin. */
@Timeout(60)
class JobsTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    private final AtomicBoolean failing = new AtomicBoolean(true);
    private final Jobs jobs =
            new Jobs(
                    new JobHooks(
                            ZoidSettings.defaults().withUserScript("/no/such", LONG),
                            line -> fail(),
                            Map.of()),
                    new Plugins(
                            List.of(),
                            settings -> {
                                throw new UnsupportedOperationException();
                            },
                            count -> {},
                            line -> {}));

    /** The script before a job is not there, which the hooks say. */
    private void fail() {
        if (failing.getAndSet(false)) {
            throw new OutOfMemoryError("planted by the test");
        }
    }

    @Test
    void aJobWhoseBeginRunsOutOfMemoryFreesItsName() throws InterruptedException {
        JobWords.In words = new JobWords.In("7", 1, 4, 2, "/bin/prog", List.of(), List.of());
        assertThatThrownBy(() -> jobs.launch(words)).isInstanceOf(OutOfMemoryError.class);
        jobs.awaitNone(LONG);
        assertThat(jobs.launch(words)).isNotNull();
    }

    @Test
    void aProcessWhoseJobCannotBeginLeavesNone() throws InterruptedException {
        Attendance.In words = new Attendance.In(1, 0, 1, "7", List.of());
        ZoidProcess process = new ZoidProcess(1, words, "tcp://127.0.0.1:1");
        assertThatThrownBy(() -> jobs.enter(process)).isInstanceOf(OutOfMemoryError.class);
        jobs.awaitNone(LONG);
        jobs.enter(process);
        assertThat(jobs.find("7")).isNotNull();
    }
}
