package org.jbmi.zoid.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoid.server.NoMemoryQueue.Entry;
import org.jbmi.zoid.server.NoMemoryQueue.Key;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
        Entry<String> first = queue.add(A, "a1", 64);
        queue.add(A, "a2", 64);
        assertThat(queue.first()).isSameAs(first);
        assertThat(queue.nextAfter(first)).isNull();
    }

    @Test
    void anotherKeyMayPassOneThatFoundNoMemory() {
        Entry<String> large = queue.add(A, "large", 2000);
        Entry<String> small = queue.add(B, "small", 64);
        assertThat(queue.nextAfter(large)).isSameAs(small);
        assertThat(queue.serve(small)).isTrue();
        queue.sent(small);
        assertThat(queue.first()).isSameAs(large);
    }

    @Test
    void nobodyPassesForEver() {
        Entry<String> large = queue.add(A, "large", 2000);
        for (int i = 0; i < NoMemoryQueue.MAX_PASSED; i++) {
            Entry<String> small = queue.add(B, "small " + i, 64);
            assertThat(queue.nextAfter(large)).isSameAs(small);
            queue.serve(small);
            queue.sent(small);
        }
        queue.add(B, "one too many", 64);
        assertThat(queue.nextAfter(large)).isNull();
        queue.serve(large);
        queue.sent(large);
        assertThat(queue.first()).extracting(Entry::operation).isEqualTo("one too many");
    }

    /** The next of about the same need has not been passed yet, but the larger one has. */
    @Test
    void whoLetsOthersPassLetsNobodyPassALargerOneTooOften() {
        Entry<String> first = queue.add(new Key("peer", 10, true), "first", 2000);
        Entry<String> second = queue.add(new Key("peer", 11, true), "second", 2000);
        Entry<String> larger = queue.add(A, "larger", 5000);
        for (int i = 0; i < NoMemoryQueue.MAX_PASSED; i++) {
            Entry<String> small = queue.add(B, "small " + i, 64);
            assertThat(queue.nextAfter(first)).isSameAs(small);
            queue.serve(small);
            queue.sent(small);
        }
        queue.serve(first);
        queue.sent(first);
        Entry<String> small = queue.add(B, "one too many", 64);
        assertThat(queue.first()).isSameAs(second);
        assertThat(queue.nextAfter(second)).isNull();
        queue.serve(second);
        queue.sent(second);
        queue.serve(larger);
        queue.sent(larger);
        assertThat(queue.first()).isSameAs(small);
    }

    /** Small ones of many sizes and tags, each of which would find memory. */
    @Test
    void theOldestIsPassedABoundedNumberOfTimesWhateverSizesPassIt() {
        Entry<String> large = queue.add(A, "large", 3 << 20);
        queue.add(B, "larger", 5 << 20);
        int passed = 0;
        for (int i = 0; i < 1000; i++) {
            queue.add(new Key("peer", 100 + i, true), "small", 64L << i % 15);
            Entry<String> candidate = queue.first();
            assertThat(candidate).isSameAs(large);
            for (; candidate != null; candidate = queue.nextAfter(candidate)) {
                if (candidate.operation().equals("small")) {
                    queue.serve(candidate);
                    queue.sent(candidate);
                    passed++;
                    break;
                }
            }
        }
        assertThat(passed).isEqualTo(NoMemoryQueue.MAX_PASSED);
        assertThat(queue.first()).isSameAs(large);
    }

    @Test
    void aKeyIsBusyUntilWhatWasServedIsSent() {
        Entry<String> first = queue.add(A, "a1", 64);
        queue.serve(first);
        assertThat(queue.isIdle()).isFalse();
        assertThat(queue.size()).isZero();
        assertThat(queue.holds(A)).isTrue();
        Entry<String> second = queue.add(A, "a2", 64);
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
            entries.add(queue.add(A, "a" + i, 64));
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
        Entry<String> a = queue.add(A, "a", 64);
        Entry<String> b = queue.add(B, "b", 64);
        queue.remove(a);
        assertThat(queue.nextAfter(a)).isSameAs(b);
    }

    /** What waits behind the oldest of its key costs nobody anything. */
    @Test
    @Timeout(20)
    void aPassOverOneKeyTriesItsOldestAlone() {
        for (int i = 0; i < 100_000; i++) {
            Entry<String> own = queue.add(A, "a" + i, 64);
            Entry<String> first = queue.first();
            assertThat(first == own).isEqualTo(i == 0);
            assertThat(queue.nextAfter(first)).isNull();
        }
    }

    @Test
    void whereOneFoundNoMemoryThoseThatNeedAsMuchOrMoreAreNotTried() {
        for (int i = 0; i < 10_000; i++) {
            queue.add(new Key("peer", i, false), "many", 1000 + i % 20 * 1000);
        }
        int tried = 0;
        for (Entry<String> e = queue.first(); e != null; e = queue.nextAfter(e)) {
            tried++;
        }
        assertThat(tried).isBetween(1, 20);
    }

    @Test
    void oneThatNeedsLessIsTriedAfterOneThatFailed() {
        Entry<String> large = queue.add(A, "large", 3000);
        Entry<String> medium = queue.add(B, "medium", 2000);
        queue.add(new Key("peer", 3, true), "larger", 5000);
        Entry<String> small = queue.add(new Key("peer", 4, true), "small", 0);
        assertThat(queue.first()).isSameAs(large);
        assertThat(queue.nextAfter(large)).isSameAs(medium);
        assertThat(queue.nextAfter(medium)).isSameAs(small);
        assertThat(queue.nextAfter(small)).isNull();
    }
}
