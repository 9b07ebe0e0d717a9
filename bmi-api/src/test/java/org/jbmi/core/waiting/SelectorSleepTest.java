package org.jbmi.core.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.spi.SleepPlace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.TimeUnit;

/** The watchdog is what fails: nothing else ends these sleeps. */
@Timeout(30)
class SelectorSleepTest {
    private static final SleepPlace[] NOBODY = {};
    private static final long FOR_EVER_NS = TimeUnit.HOURS.toNanos(1);

    private final SelectorSleep sleep = new SelectorSleep();

    @AfterEach
    void close() {
        sleep.close();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aWakeBeforeTheFirstSleepEndsIt() {
        sleep.wake();
        sleep.select(NOBODY, FOR_EVER_NS);
    }

    @Test
    void aWakeEndsTheNextSleep() {
        sleep.select(NOBODY, 1);
        sleep.wake();
        sleep.select(NOBODY, FOR_EVER_NS);
    }
}
