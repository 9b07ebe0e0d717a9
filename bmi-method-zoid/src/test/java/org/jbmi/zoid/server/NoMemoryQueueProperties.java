package org.jbmi.zoid.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import org.jbmi.zoid.server.NoMemoryQueue.Entry;
import org.jbmi.zoid.server.NoMemoryQueue.Key;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random requests, frees and cancels against a pool that is only a number. */
class NoMemoryQueueProperties {
    private static final Duration WATCHDOG = Duration.ofSeconds(120);
    private static final int POOL = 100;

    private record Request(int number, int tag, int size) {}

    @Property(tries = 300)
    void keepsOrderServesEverybodyAndLosesNothing(
            @ForAll @Size(min = 1, max = 200) List<@IntRange(min = 1, max = POOL) Integer> sizes,
            @ForAll long seed) {
        assertTimeoutPreemptively(
                WATCHDOG,
                () -> {
                    new Run(new Random(seed)).play(sizes);
                });
    }

    private static final class Run {
        private final NoMemoryQueue<Request> queue = new NoMemoryQueue<>();
        private final Map<Integer, Integer> lastServedOfTag = new HashMap<>();
        private final List<Request> held = new ArrayList<>();
        private final List<Entry<Request>> entries = new ArrayList<>();
        private final Random random;
        private int free = POOL;
        private int served;
        private int cancelled;

        Run(Random random) {
            this.random = random;
        }

        void play(List<Integer> sizes) {
            for (int size : sizes) {
                Request request = new Request(entries.size(), random.nextInt(5), size);
                entries.add(queue.add(new Key("peer", request.tag(), true), request, size));
                pass();
                if (random.nextInt(6) == 0
                        && queue.remove(entries.get(random.nextInt(entries.size())))) {
                    cancelled++;
                    pass();
                }
                if (random.nextBoolean()) {
                    freeOne();
                }
            }
            int rounds = 0;
            while (!queue.isIdle()) {
                assertThat(rounds++).as("rounds until everybody is served").isLessThan(2000);
                pass();
                freeOne();
            }
            assertThat(served + cancelled).isEqualTo(sizes.size());
        }

        private void freeOne() {
            if (!held.isEmpty()) {
                free += held.remove(random.nextInt(held.size())).size();
                pass();
            }
        }

        private void pass() {
            Entry<Request> candidate = queue.first();
            while (candidate != null) {
                candidate = tryOne(candidate) ? queue.first() : queue.nextAfter(candidate);
            }
        }

        private boolean tryOne(Entry<Request> candidate) {
            Request request = candidate.operation();
            if (request.size() > free) {
                return false;
            }
            free -= request.size();
            assertThat(queue.serve(candidate)).isTrue();
            Integer before = lastServedOfTag.put(request.tag(), request.number());
            assertThat(before == null || before < request.number()).as("order of a key").isTrue();
            held.add(request);
            served++;
            queue.sent(candidate);
            return true;
        }
    }
}
