package org.jbmi.core.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.spi.Method;
import org.jbmi.spi.SleepPlace;
import org.jbmi.spi.Waitable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;

/** Where the lead sleeps for several methods, and how long it may do so without a look. */
class ActiveMethodsTest {
    private static final long EVER = Long.MAX_VALUE;
    private static final long A_MILLISECOND_NS = 1_000_000;
    private static final long A_TENTH_NS = 100_000_000;
    private static final long A_SECOND_NS = 1_000_000_000;

    private record Bed() implements SleepPlace.Sleep {
        @Override
        public void sleep(long timeoutNs) {}

        @Override
        public void wake() {}
    }

    private record Still(SleepPlace sleepsOn) implements Waitable {
        @Override
        public int poll() {
            return 0;
        }

        @Override
        public boolean arm(boolean isSleptIn) {
            return true;
        }

        @Override
        public void disarm() {}
    }

    private Pipe pipe;
    private Selector selector;
    private Waitable local;
    private Waitable word;
    private Waitable kept;
    private Waitable channel;
    private Waitable owner;

    @BeforeEach
    void open() throws IOException {
        pipe = Pipe.open();
        selector = Selector.open();
        local = new Still(new SleepPlace.Anywhere());
        word = new Still(new SleepPlace.Word(new Bed(), pipe::source));
        kept = new Still(new SleepPlace.KeptWord(new Bed()));
        channel = new Still(new SleepPlace.Channel(pipe.source()));
        owner = new Still(new SleepPlace.OwnSelector(selector, new Bed()));
    }

    @AfterEach
    void close() throws IOException {
        selector.close();
        pipe.source().close();
        pipe.sink().close();
    }

    /** Methods with these waitables; null stands for a method that has none. */
    private static ActiveMethods active(Waitable... waitables) {
        ActiveMethods all = ActiveMethods.NONE;
        for (Waitable waitable : waitables) {
            all = all.with(method(waitable));
        }
        return all;
    }

    private static Method method(Waitable waitable) {
        return (Method)
                Proxy.newProxyInstance(
                        Method.class.getClassLoader(),
                        new Class<?>[] {Method.class},
                        (proxy, call, arguments) ->
                                call.getName().equals("waitable") ? waitable : null);
    }

    @Test
    void aMethodWithoutAWaitableIsNotAsked() {
        ActiveMethods all = active(null, word, null);
        assertThat(all.methods).hasSize(3);
        assertThat(all.waitables).containsExactly(word);
        assertThat(active((Waitable) null).waitables).isEmpty();
    }

    @Test
    void theLeadParksWhereNobodyHasAPlace() {
        for (ActiveMethods all :
                new ActiveMethods[] {active(), active(local), active(null, local)}) {
            assertThat(all.sleeper).isNull();
            assertThat(all.sleep).isNull();
            assertThat(all.selects).isFalse();
            assertThat(all.parkSliceNs).isEqualTo(EVER);
            assertThat(all.maySleepFirst).isFalse();
        }
    }

    @Test
    void theLeadSleepsOnTheOneWord() {
        for (Waitable one : new Waitable[] {word, kept}) {
            ActiveMethods all = active(local, one, null);
            assertThat(all.sleeper).isSameAs(one);
            assertThat(all.sleep).isInstanceOf(Bed.class);
            assertThat(all.sleeperSelector).isNull();
            assertThat(all.sleepSliceNs).isEqualTo(EVER);
            assertThat(all.parkSliceNs).isEqualTo(one == kept ? EVER : A_MILLISECOND_NS);
        }
    }

    @Test
    void theLeadSelectsForSeveralWordsOrAChannel() {
        for (ActiveMethods all :
                new ActiveMethods[] {active(word, kept), active(channel), active(kept, channel)}) {
            assertThat(all.sleeper).isNull();
            assertThat(all.selects).isTrue();
            assertThat(all.parkSliceNs).isEqualTo(A_MILLISECOND_NS);
        }
    }

    @Test
    void theLeadSleepsInTheFirstSelectorOfAMethod() {
        Waitable second = new Still(new SleepPlace.OwnSelector(selector, new Bed()));
        ActiveMethods one = active(word, channel, owner);
        assertThat(one.sleeper).isSameAs(owner);
        assertThat(one.sleeperSelector).isSameAs(selector);
        assertThat(one.sleepSliceNs).isEqualTo(EVER);
        ActiveMethods two = active(word, owner, second);
        assertThat(two.sleeper).isSameAs(owner);
        assertThat(two.sleepSliceNs).isEqualTo(A_MILLISECOND_NS);
    }

    /**
     * No interrupt ends a sleep on a word, and a method with a word may owe its peer something. Who
     * has waited for long looks seldom: there may be a thousand of them.
     */
    @Test
    void theLeadLooksOftenerWhereAMethodHasAWord() {
        for (ActiveMethods all : new ActiveMethods[] {active(word), active(kept, owner)}) {
            assertThat(all.sliceNs(0)).isEqualTo(A_TENTH_NS);
            assertThat(all.sliceNs(A_SECOND_NS - 1)).isEqualTo(A_TENTH_NS);
            assertThat(all.sliceNs(A_SECOND_NS)).isEqualTo(A_SECOND_NS);
        }
        for (ActiveMethods all : new ActiveMethods[] {active(owner), active(local, channel)}) {
            assertThat(all.sliceNs(0)).isEqualTo(A_SECOND_NS);
        }
    }

    @Test
    void theLeadSleepsBeforeItLooksForOneMethodWithASelectorOnly() {
        assertThat(active(owner).maySleepFirst).isTrue();
        assertThat(active(null, owner).maySleepFirst).isTrue();
        assertThat(active(owner, local).maySleepFirst).isFalse();
        assertThat(active(owner, owner).maySleepFirst).isFalse();
        assertThat(active(word).maySleepFirst).isFalse();
        assertThat(active(channel).maySleepFirst).isFalse();
    }
}
