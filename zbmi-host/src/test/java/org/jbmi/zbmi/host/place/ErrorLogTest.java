package org.jbmi.zbmi.host.place;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

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

    /** Keeps what the Java platform's log takes. */
    private static final class Heard extends Handler {
        private final List<LogRecord> records = new ArrayList<>();

        @Override
        public void publish(LogRecord report) {
            records.add(report);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void anotherLogNamesAMethodAndNoLambda() {
        String name = ErrorLogTest.class.getName();
        Logger logger = Logger.getLogger(name);
        Heard heard = new Heard();
        logger.addHandler(heard);
        try {
            ErrorLog log = ErrorLog.to(System.getLogger(name));
            log.record("a");
            log.record("a");
        } finally {
            logger.removeHandler(heard);
        }
        assertThat(heard.records)
                .singleElement()
                .satisfies(
                        one -> {
                            assertThat(one.getMessage()).isEqualTo("a");
                            assertThat(one.getSourceMethodName()).isEqualTo("warn");
                        });
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
