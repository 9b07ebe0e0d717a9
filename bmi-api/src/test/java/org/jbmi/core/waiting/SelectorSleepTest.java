package org.jbmi.core.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.spi.SleepPlace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

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

    /** The end of a stream whose socket stays open would end every sleep at once. */
    @Test
    void aChannelThatIsNotGivenAnyMoreIsNotSelected() throws IOException {
        Pipe pipe = Pipe.open();
        try (Pipe.SourceChannel source = pipe.source();
                Pipe.SinkChannel sink = pipe.sink()) {
            source.configureBlocking(false);
            AtomicReference<SelectableChannel> given = new AtomicReference<>(source);
            SleepPlace[] places = {new SleepPlace.Word(new NoSleep(), given::get)};
            sink.write(ByteBuffer.allocate(1));
            sleep.select(places, FOR_EVER_NS);
            assertThat(source.isRegistered()).isTrue();
            given.set(null);
            sleep.select(places, 1);
            assertThat(source.isRegistered()).isFalse();
        }
    }

    private static final class NoSleep implements SleepPlace.Sleep {
        @Override
        public void sleep(long timeoutNs) {
            throw new AssertionError("the lead sleeps in a selector");
        }

        @Override
        public void wake() {}
    }
}
