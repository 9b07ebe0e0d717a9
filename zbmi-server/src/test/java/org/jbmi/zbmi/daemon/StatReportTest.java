package org.jbmi.zbmi.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.observe.Counters;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.host.place.CountersFile;
import org.jbmi.zbmi.host.place.SessionCounters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

class StatReportTest {
    @TempDir Path temporary;

    @Test
    void readsAFileFromOutsideAndTheTotalIsTheSum() {
        RuntimeDirectory directory = new RuntimeDirectory(temporary.resolve("run"));
        directory.prepare();
        try (CountersFile file = CountersFile.create(directory.counters(), 64)) {
            Counters counters = file.counters();
            counters.register(1, "zbmi.messages.sent", "messages").add(7);
            counters.register(2, "zbmi.unexpected.accepted", "messages").add(3);
            counters.register(3, "zbmi.bytes.sent", "bytes").add(700);
            counters.register(4, "zbmi.unexpected.bytes", "bytes").add(30);
            counters.register(5, "zbmi.messages.received", "messages").add(5);
            counters.register(6, "zbmi.bytes.received", "bytes").add(500);
            new SessionCounters(counters).sent(100);

            StatReport report = StatReport.read(directory);

            assertThat(report.total())
                    .isEqualTo(new StatReport.Category("Total", 6, 600, 10, 730, false));
            assertThat(report.format())
                    .contains("Total messages sent:            6\n")
                    .contains("Internal messages sent:         1\n")
                    .contains("Plugin 6 bytes received:        730\n")
                    .doesNotContain("Broadcast messages received");
        }
        assertThat(directory.counters()).doesNotExist();
    }

    @Test
    void aDaemonThatIsNotThereIsSaidInWords() {
        RuntimeDirectory directory = new RuntimeDirectory(temporary);
        assertThatThrownBy(() -> StatReport.read(directory))
                .isInstanceOf(BmiException.class)
                .hasMessageContaining(temporary.toString())
                .extracting(e -> ((BmiException) e).code())
                .isEqualTo(ErrorCode.ENETDOWN);
    }

    @Test
    void laysOutTheTimestampAsStatqueryDid() {
        StatReport report =
                StatReport.of(List.of(), Instant.ofEpochSecond(1_240_439_085L, 688_831_000));
        assertThat(report.format())
                .startsWith(
                        "Timestamp:                      1240439085.688831\nTotal messages sent:");
        assertThat(report.format().lines()).hasSize(1 + 4 * 5 + 2);
    }
}
