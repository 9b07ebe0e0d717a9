package org.jbmi.zbmi.host.place;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class ErrorLogTest {
    @Test
    void keepsEachErrorOnceAndCounts() {
        List<String> told = new ArrayList<>();
        ErrorLog log = new ErrorLog(told::add);
        log.record("a");
        log.record("b");
        log.record("a");
        assertThat(log.entries()).extracting(ErrorLog.Entry::text).containsExactly("a", "b");
        assertThat(log.entries()).extracting(ErrorLog.Entry::count).containsExactly(2L, 1L);
        assertThat(told).containsExactly("a", "b");
    }

    @Test
    void isBounded() {
        ErrorLog log = new ErrorLog(text -> {});
        for (int i = 0; i < 2 * ErrorLog.CAPACITY; i++) {
            log.record("error " + i);
        }
        assertThat(log.entries()).hasSize(ErrorLog.CAPACITY + 1);
        assertThat(log.entries().getLast().count()).isEqualTo(ErrorLog.CAPACITY);

        log.takeOver(List.of(new ErrorLog.Entry("of another host", 5, 1, 2)));
        assertThat(log.entries()).hasSize(ErrorLog.CAPACITY + 1);
        assertThat(log.entries().getLast().count()).isEqualTo(ErrorLog.CAPACITY + 5);
    }
}
