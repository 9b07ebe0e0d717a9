package org.jbmi.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.sun.management.ThreadMXBean;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;

/** The table against maps of queues. */
class MatchTableTest {
    private static final Duration WATCHDOG = Duration.ofSeconds(120);

    private static final class TestOperation extends Operation {}

    private record Key(long peer, int tag) {}

    private record Step(int action, Key key, int choice) {}

    @Provide
    Arbitrary<List<Step>> programs() {
        Arbitrary<Key> keys =
                Combinators.combine(Arbitraries.longs().between(0, 5), Arbitraries.of(-1, 0, 7, 64))
                        .as(Key::new);
        Arbitrary<Integer> actions = Arbitraries.integers().between(0, 5);
        Arbitrary<Integer> choices = Arbitraries.integers().between(0, 1000);
        return Combinators.combine(actions, keys, choices).as(Step::new).list().ofMaxSize(300);
    }

    @Property(tries = 200)
    void behavesLikeMapsOfQueues(@ForAll("programs") List<Step> program) {
        assertTimeoutPreemptively(
                WATCHDOG,
                () -> {
                    Model model = new Model();
                    for (Step step : program) {
                        model.apply(step);
                        model.check();
                    }
                    model.drainAll();
                });
    }

    /**
     * Keys that differ in one bit only, more than the first array holds, removed in another order.
     */
    @Test
    @Timeout(30)
    void findsEveryKeyWhileItGrowsAndShrinks() {
        MatchTable table = new MatchTable();
        List<Key> keys = new ArrayList<>();
        Map<Key, Operation> expected = new HashMap<>();
        for (int bit = 0; bit < 31; bit++) {
            for (long peer = 0; peer < 20; peer++) {
                keys.add(new Key(peer << bit, 1 << bit));
            }
        }
        for (Key key : new HashSet<>(keys)) {
            Operation operation = new TestOperation();
            table.findOrAdd(key.peer, key.tag).receives().addLast(operation);
            expected.put(key, operation);
        }
        assertThat(table.size()).isEqualTo(expected.size());
        Set<Key> left = new HashSet<>(keys);
        for (Key key : keys) {
            if (left.remove(key)) {
                MatchTable.Entry entry = table.find(key.peer, key.tag);
                assertThat(entry).isNotNull();
                assertThat(entry.receives().poll()).isSameAs(expected.get(key));
                assertThat(table.recycleIfEmpty(entry)).isTrue();
                assertThat(table.find(key.peer, key.tag)).isNull();
            }
            for (Key other : left) {
                assertThat(table.find(other.peer, other.tag)).isNotNull();
            }
        }
        assertThat(table.size()).isZero();
    }

    /** A hash that lost peers, tags or half of their bits would need minutes. */
    @Test
    @Timeout(30)
    void findsManyKeysOfAnyPatternInConstantTime() {
        for (int shift : new int[] {0, 15}) {
            findsAllOf(i -> new Key((long) i << shift, 5));
            findsAllOf(i -> new Key(5, i << shift));
            findsAllOf(i -> new Key(i >> 8, (i & 255) << shift));
        }
    }

    private static void findsAllOf(IntFunction<Key> keys) {
        int count = 50_000;
        MatchTable table = new MatchTable();
        MatchTable.Entry[] entries = new MatchTable.Entry[count];
        Operation[] operations = new Operation[count];
        for (int i = 0; i < count; i++) {
            operations[i] = new TestOperation();
            entries[i] = table.findOrAdd(keys.apply(i).peer, keys.apply(i).tag);
            entries[i].sends().addLast(operations[i]);
        }
        for (int i = 0; i < count; i++) {
            assertThat(table.find(keys.apply(i).peer, keys.apply(i).tag) == entries[i]).isTrue();
            entries[i].sends().remove(operations[i]);
            table.recycleIfEmpty(entries[i]);
        }
        assertThat(table.size()).isZero();
    }

    @Test
    @Timeout(30)
    void allocatesNothingInSteadyState() {
        MatchTable table = new MatchTable();
        Operation operation = new TestOperation();
        run(table, operation, 100_000);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        long after = threads.getCurrentThreadAllocatedBytes();
        long ofTheMeasurement = after - before;
        before = threads.getCurrentThreadAllocatedBytes();
        run(table, operation, 100_000);
        after = threads.getCurrentThreadAllocatedBytes();
        assertThat(after - before - ofTheMeasurement).isLessThan(1000);
    }

    /** A drain moves entries, also from the end of the array to its beginning. */
    @Test
    @Timeout(30)
    void drainTakesTheChosenOnesFromADenseTableAndNeedsNoMemory() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int count = 32;
        Operation[] operations = new Operation[count];
        for (int i = 0; i < count; i++) {
            operations[i] = new TestOperation();
        }
        Operation[] drained = new Operation[count];
        int[] at = new int[1];
        long mostBytes = 0;
        for (long secret = 0; secret < 2000; secret++) {
            MatchTable table = new MatchTable(secret);
            for (int tag = 0; tag < count; tag++) {
                operations[tag].methodState(tag % 3);
                table.findOrAdd(0, tag).receives().addLast(operations[tag]);
            }
            at[0] = 0;
            long before = threads.getCurrentThreadAllocatedBytes();
            table.drain(
                    operation -> operation.methodState() > 0,
                    operation -> drained[at[0]++] = operation);
            long bytes = threads.getCurrentThreadAllocatedBytes() - before;
            mostBytes = secret < 1000 ? 0 : Math.max(mostBytes, bytes);
            for (int tag = 0; tag < count; tag++) {
                MatchTable.Entry entry = table.find(0, tag);
                Operation left = entry == null ? null : entry.receives().poll();
                assertThat(left).isSameAs(tag % 3 > 0 ? null : operations[tag]);
            }
            assertThat(Set.of(Arrays.copyOf(drained, at[0]))).hasSize(count - (count + 2) / 3);
        }
        assertThat(mostBytes).isLessThan(150); // the two lambdas, no list of 32 entries
    }

    private static void run(MatchTable table, Operation operation, int rounds) {
        for (int tag = 0; tag < rounds; tag++) {
            table.findOrAdd(tag & 3, tag).sends().addLast(operation);
            MatchTable.Entry entry = table.findOrAdd(tag & 3, tag);
            entry.sends().poll();
            table.recycleIfEmpty(entry);
        }
    }

    private static final class Model {
        private final MatchTable table = new MatchTable();
        private final Map<Key, Deque<Operation>> sends = new HashMap<>();
        private final Map<Key, Deque<Operation>> receives = new HashMap<>();

        void apply(Step step) {
            Map<Key, Deque<Operation>> side = step.choice % 2 == 0 ? sends : receives;
            switch (step.action) {
                case 0, 1 -> add(step.key, side);
                case 2 -> poll(step.key, side);
                case 3 -> removeOne(step.key, side, step.choice);
                case 4 ->
                        assertThat(table.find(step.key.peer, step.key.tag) != null)
                                .isEqualTo(holds(step.key));
                default -> drainPeer(step.key.peer, step.choice);
            }
        }

        private void add(Key key, Map<Key, Deque<Operation>> side) {
            Operation operation = new TestOperation();
            queue(table.findOrAdd(key.peer, key.tag), side).addLast(operation);
            side.computeIfAbsent(key, k -> new ArrayDeque<>()).add(operation);
        }

        private void poll(Key key, Map<Key, Deque<Operation>> side) {
            Deque<Operation> model = side.getOrDefault(key, new ArrayDeque<>());
            @Nullable Operation expected = model.poll();
            MatchTable.Entry entry = table.findOrAdd(key.peer, key.tag);
            assertThat(queue(entry, side).poll()).isSameAs(expected);
            assertThat(table.recycleIfEmpty(entry)).isEqualTo(!holds(key));
        }

        private void removeOne(Key key, Map<Key, Deque<Operation>> side, int choice) {
            List<Operation> model = new ArrayList<>(side.getOrDefault(key, new ArrayDeque<>()));
            if (!model.isEmpty()) {
                Operation victim = model.get(choice % model.size());
                MatchTable.Entry entry = table.find(key.peer, key.tag);
                assertThat(entry).isNotNull();
                assertThat(queue(entry, side).remove(victim)).isTrue();
                side.get(key).remove(victim);
                table.recycleIfEmpty(entry);
            }
        }

        private void drainPeer(long peer, int choice) {
            if (choice > 100) {
                return;
            }
            Set<Operation> expected = new HashSet<>();
            collect(sends, peer, expected);
            collect(receives, peer, expected);
            Set<Operation> drained = new HashSet<>();
            table.drain(expected::contains, drained::add);
            assertThat(drained).isEqualTo(expected);
        }

        private static void collect(
                Map<Key, Deque<Operation>> side, long peer, Set<Operation> into) {
            side.forEach(
                    (key, queue) -> {
                        if (key.peer == peer) {
                            into.addAll(queue);
                            queue.clear();
                        }
                    });
        }

        void check() {
            Set<Key> keys = new HashSet<>(sends.keySet());
            keys.addAll(receives.keySet());
            int live = 0;
            for (Key key : keys) {
                if (holds(key)) {
                    live++;
                    MatchTable.Entry entry = table.find(key.peer, key.tag);
                    assertThat(entry).isNotNull();
                    assertThat(entry.sends().first()).isSameAs(first(sends, key));
                    assertThat(entry.receives().first()).isSameAs(first(receives, key));
                }
            }
            assertThat(table.size()).isEqualTo(live);
        }

        void drainAll() {
            List<Operation> all = new ArrayList<>();
            table.drain(operation -> true, all::add);
            long expected =
                    sends.values().stream().mapToLong(Deque::size).sum()
                            + receives.values().stream().mapToLong(Deque::size).sum();
            assertThat(all).hasSize((int) expected);
            assertThat(table.size()).isZero();
        }

        private boolean holds(Key key) {
            return first(sends, key) != null || first(receives, key) != null;
        }

        private static @Nullable Operation first(Map<Key, Deque<Operation>> side, Key key) {
            Deque<Operation> queue = side.get(key);
            return queue == null ? null : queue.peek();
        }

        private IntrusiveList<Operation> queue(
                MatchTable.Entry entry, Map<Key, Deque<Operation>> side) {
            return side == sends ? entry.sends() : entry.receives();
        }
    }

    /** Who knows the code, but not the secret, cannot choose keys that lie in one run. */
    @Test
    void tagsThatMeetInOneTableDoNotInAnother() {
        MatchTable known = new MatchTable();
        int mask = 0xfff;
        int home = known.hash(7, 0) & mask;
        List<Integer> chosen = new ArrayList<>();
        for (int tag = 0; chosen.size() < 300; tag++) {
            if ((known.hash(7, tag) & mask) == home) {
                chosen.add(tag);
            }
        }
        for (int i = 0; i < 20; i++) {
            MatchTable other = new MatchTable();
            long homes =
                    chosen.stream().mapToInt(tag -> other.hash(7, tag) & mask).distinct().count();
            assertThat(homes).isGreaterThan(200);
        }
    }
}
