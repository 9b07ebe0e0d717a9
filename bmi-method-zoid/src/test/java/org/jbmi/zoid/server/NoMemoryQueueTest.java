package org.jbmi.zoid.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoid.server.NoMemoryQueue.Entry;
import org.jbmi.zoid.server.NoMemoryQueue.Key;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class NoMemoryQueueTest {
    private static final Key A = new Key("peer", 1, true);
    private static final Key B = new Key("peer", 2, true);

    private final NoMemoryQueue<String> queue = new NoMemoryQueue<>();

    @Test
    void isIdleWithoutAnything() {
        assertThat(queue.isIdle()).isTrue();
        assertThat(queue.first()).isNull();
        assertThat(queue.holds(A)).isFalse();
    }

    @Test
    void onlyTheOldestOfAKeyMayTry() {
        Entry<String> first = queue.add(A, "a1");
        queue.add(A, "a2");
        assertThat(queue.first()).isSameAs(first);
        assertThat(queue.nextAfter(first)).isNull();
    }

    @Test
    void anotherKeyMayPassOneThatFoundNoMemory() {
        Entry<String> large = queue.add(A, "large");
        Entry<String> small = queue.add(B, "small");
        assertThat(queue.nextAfter(large)).isSameAs(small);
        assertThat(queue.serve(small)).isTrue();
        queue.sent(small);
        assertThat(queue.first()).isSameAs(large);
    }

    @Test
    void nobodyPassesForEver() {
        Entry<String> large = queue.add(A, "large");
        for (int i = 0; i < NoMemoryQueue.MAX_PASSED; i++) {
            Entry<String> small = queue.add(B, "small " + i);
            assertThat(queue.nextAfter(large)).isSameAs(small);
            queue.serve(small);
            queue.sent(small);
        }
        queue.add(B, "one too many");
        assertThat(queue.nextAfter(large)).isNull();
        queue.serve(large);
        queue.sent(large);
        assertThat(queue.first()).extracting(Entry::operation).isEqualTo("one too many");
    }

    @Test
    void aKeyIsBusyUntilWhatWasServedIsSent() {
        Entry<String> first = queue.add(A, "a1");
        queue.serve(first);
        assertThat(queue.isIdle()).isFalse();
        assertThat(queue.size()).isZero();
        assertThat(queue.holds(A)).isTrue();
        Entry<String> second = queue.add(A, "a2");
        assertThat(queue.first()).isNull();
        queue.sent(first);
        assertThat(queue.first()).isSameAs(second);
        queue.serve(second);
        queue.sent(second);
        assertThat(queue.isIdle()).isTrue();
        assertThat(queue.holds(A)).isFalse();
    }

    @Test
    void removesFromFrontMiddleAndEndOnce() {
        List<Entry<String>> entries = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            entries.add(queue.add(A, "a" + i));
        }
        assertThat(queue.size()).isEqualTo(5);
        assertThat(queue.remove(entries.get(2))).isTrue();
        assertThat(queue.remove(entries.get(2))).isFalse();
        assertThat(queue.serve(entries.get(2))).isFalse();
        assertThat(queue.remove(entries.get(0))).isTrue();
        assertThat(queue.remove(entries.get(4))).isTrue();
        assertThat(queue.first()).isSameAs(entries.get(1));
        queue.serve(entries.get(1));
        queue.sent(entries.get(1));
        assertThat(queue.first()).isSameAs(entries.get(3));
        assertThat(queue.holds(A)).isTrue();
        assertThat(queue.remove(entries.get(3))).isTrue();
        assertThat(queue.isIdle()).isTrue();
        assertThat(queue.holds(A)).isFalse();
    }

    @Test
    void goesOnFromTheStartWhenTheFailedOneWasCancelled() {
        Entry<String> a = queue.add(A, "a");
        Entry<String> b = queue.add(B, "b");
        queue.remove(a);
        assertThat(queue.nextAfter(a)).isSameAs(b);
    }
}
