package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.ErrorCode;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Listeners: who gets a message, and where it goes when a listener closes. */
class ListenerTest extends ScriptedTest {
    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(64);

    private List<Integer> plain(int messageClass) {
        bmi.testUnexpected(messageClass, messages, 0);
        return tags();
    }

    private List<Integer> of(UnexpectedListener listener) {
        listener.test(messages, 0);
        return tags();
    }

    private List<Integer> tags() {
        List<Integer> tags = new ArrayList<>();
        for (int i = 0; i < messages.count(); i++) {
            tags.add(messages.tag(i));
        }
        return tags;
    }

    @Test
    void listenerGetsWhatPassesItsFilterAndNothingElse() {
        try (UnexpectedListener listener = bmi.openListener(new UnexpectedFilter(2, 4, 10, 20))) {
            assertThat(listener.filter()).isEqualTo(new UnexpectedFilter(2, 4, 10, 20));
            method.deliver("s", 15, 1, 1);
            method.deliver("s", 10, 2, 1);
            method.deliver("s", 9, 3, 1);
            method.deliver("s", 20, 4, 1);
            method.deliver("s", 21, 4, 1);
            assertThat(of(listener)).containsExactly(10, 20);
            assertThat(plain(1)).containsExactly(15);
            assertThat(plain(3)).containsExactly(9);
            assertThat(plain(4)).containsExactly(21);
            assertThat(plain(2)).isEmpty();
        }
    }

    @Test
    void firstOfOverlappingListenersWins() {
        try (UnexpectedListener first = bmi.openListener(UnexpectedFilter.ofTags(0, 10));
                UnexpectedListener second = bmi.openListener(UnexpectedFilter.ofTags(5, 20));
                UnexpectedListener all = bmi.openListener(UnexpectedFilter.ALL)) {
            for (int tag : new int[] {0, 5, 10, 11, 20, 21, -1}) {
                method.deliver("s", tag, 0, 1);
            }
            method.deliver("s", 5, 1, 1);
            assertThat(of(first)).containsExactly(0, 5, 10);
            assertThat(of(second)).containsExactly(11, 20);
            assertThat(of(all)).containsExactly(21, -1, 5);
        }
    }

    @Test
    void listenerTakesOverWhatWaits() {
        for (int i = 0; i < 6; i++) {
            method.deliver("s", i, i % 3, 1);
        }
        try (UnexpectedListener listener = bmi.openListener(new UnexpectedFilter(0, 1, 0, 3))) {
            assertThat(of(listener)).containsExactly(0, 1, 3);
            assertThat(plain(0)).isEmpty();
            assertThat(plain(1)).containsExactly(4);
            assertThat(plain(2)).containsExactly(2, 5);
        }
    }

    @Test
    void closingGivesBackInOrderOfArrival() {
        UnexpectedListener inner = bmi.openListener(UnexpectedFilter.ofTags(10, 19));
        UnexpectedListener outer = bmi.openListener(UnexpectedFilter.ofTags(10, 29));
        for (int tag : new int[] {1, 10, 20, 2, 11, 21, 3, 12}) {
            method.deliver("s", tag, 0, 1);
        }
        inner.close();
        assertThat(of(outer)).containsExactly(10, 20, 11, 21, 12);
        for (int tag : new int[] {22, 4, 13}) {
            method.deliver("s", tag, 0, 1);
        }
        outer.close();
        assertThat(plain(0)).containsExactly(1, 2, 3, 22, 4, 13);
    }

    @Test
    void whatAPollGaveBackIsNotLeftInAListenerThatClosedMeanwhile() {
        UnexpectedListener listener = bmi.openListener(UnexpectedFilter.ofTags(10, 19));
        method.remote(
                () -> {
                    method.deliver("s", 10, 0, 1);
                    method.deliver("s", 11, 0, 1);
                    listener.close();
                    method.deliver("s", 12, 0, 1);
                    throw new IllegalStateException("played");
                });
        assertThatThrownBy(() -> listener.test(messages, 0))
                .isInstanceOf(IllegalStateException.class);
        assertThat(plain(0)).containsExactly(10, 11, 12);
    }

    @Test
    void whatAPollGaveBackGoesToAListenerThatOpenedMeanwhile() {
        List<UnexpectedListener> opened = new ArrayList<>();
        method.remote(
                () -> {
                    method.deliver("s", 10, 0, 1);
                    method.deliver("s", 5, 0, 1);
                    opened.add(bmi.openListener(UnexpectedFilter.ofTags(10, 19)));
                    method.deliver("s", 11, 0, 1);
                    method.deliver("s", 6, 0, 1);
                    throw new IllegalStateException("played");
                });
        assertThatThrownBy(() -> bmi.testUnexpected(messages, 0))
                .isInstanceOf(IllegalStateException.class);
        assertThat(of(opened.getFirst())).containsExactly(10, 11);
        assertThat(plain(0)).containsExactly(5, 6);
        opened.getFirst().close();
    }

    @Test
    void manyMessagesChangeHandsQuickly() {
        int count = 20_000;
        for (int i = 0; i < count; i++) {
            method.deliver("s", i, i & 1, 0);
        }
        UnexpectedListener listener = bmi.openListener(UnexpectedFilter.ALL);
        listener.close();
        for (int c = 0; c < 2; c++) {
            int next = c;
            while (bmi.testUnexpected(c, messages, 0) > 0) {
                for (int k = 0; k < messages.count(); k++) {
                    assertThat(messages.tag(k)).isEqualTo(next);
                    next += 2;
                    messages.free(k);
                }
            }
            assertThat(next).isEqualTo(count + c);
        }
    }

    @Test
    void blockedListenerIsWokenByItsMessage() {
        try (UnexpectedListener listener = bmi.openListener(UnexpectedFilter.ofClass(3))) {
            Call<Integer> call =
                    start(() -> listener.test(UnexpectedMessages.ofCapacity(1), LONG_MS)).asleep();
            method.deliver("s", 1, 2, 1);
            assertThat(call.isDone()).isFalse();
            method.remote(() -> method.deliver("s", 1, 3, 1));
            assertThat(call.result()).isEqualTo(1);
        }
    }

    @Test
    void closingWakesItsWaitersAndThoseWhoInherit() {
        UnexpectedListener listener = bmi.openListener(UnexpectedFilter.ofClass(0));
        Call<Integer> plain =
                start(() -> bmi.testUnexpected(UnexpectedMessages.ofCapacity(1), LONG_MS)).asleep();
        method.deliver("s", 1, 0, 1);
        assertThat(plain.isDone()).isFalse();
        listener.close();
        assertThat(plain.result()).isEqualTo(1);

        UnexpectedListener other = bmi.openListener(UnexpectedFilter.ofClass(1));
        Call<Integer> blocked =
                start(() -> other.test(UnexpectedMessages.ofCapacity(1), LONG_MS)).asleep();
        other.close();
        assertThat(blocked.result()).isZero();
    }

    @Test
    void openingWakesNobodyForMessagesItTakes() {
        Call<Integer> plain =
                start(() -> bmi.testUnexpected(UnexpectedMessages.ofCapacity(1), LONG_MS)).asleep();
        try (UnexpectedListener listener = bmi.openListener(UnexpectedFilter.ofClass(0))) {
            method.deliver("s", 1, 0, 1);
            assertThat(of(listener)).containsExactly(1);
            assertThat(plain.isDone()).isFalse();
        }
        method.deliver("s", 2, 0, 1);
        assertThat(plain.result()).isEqualTo(1);
    }

    @Test
    void closedListenerRefuses() {
        UnexpectedListener listener = bmi.openListener(UnexpectedFilter.ALL);
        listener.close();
        listener.close();
        assertCode(ErrorCode.EINVAL, () -> listener.test(messages, 0));
        method.deliver("s", 1, 0, 1);
        assertThat(plain(0)).containsExactly(1);
    }

    @Test
    void wrongArgumentsAreRefused() {
        try (UnexpectedListener listener = bmi.openListener(UnexpectedFilter.ALL)) {
            assertCode(ErrorCode.EINVAL, () -> listener.test(messages, -1));
            method.deliver("s", 1, 0, 1);
            assertThat(listener.test(UnexpectedMessages.ofCapacity(0), LONG_MS)).isZero();
            assertThat(listener.test(messages, 0)).isEqualTo(1);
            bmi.close();
            assertCode(ErrorCode.EINVAL, () -> listener.test(messages, 0));
        }
        assertCode(ErrorCode.EINVAL, () -> bmi.openListener(UnexpectedFilter.ALL));
    }

    @Test
    @SuppressWarnings("NullAway") // the point
    void aListenerWithoutAFilterIsRefusedAndTakesNothing() {
        assertThatThrownBy(() -> bmi.openListener(null)).isInstanceOf(NullPointerException.class);
        method.deliver("s", 1, 0, 1);
        assertThat(plain(0)).containsExactly(1);
    }
}
