package org.jbmi.zbmi.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

@Timeout(30)
class DeadlineHeapTest {
    private static final class Entry extends Timed {}

    @Test
    void theFirstIsAlwaysTheEarliestAcrossTheWrapOfTheClock() {
        long seed = Long.getLong("jbmi.seed", System.nanoTime());
        System.out.println("DeadlineHeapTest seed " + seed);
        Random random = new Random(seed);
        DeadlineHeap heap = new DeadlineHeap();
        List<Entry> scheduled = new ArrayList<>();
        long base = Long.MAX_VALUE - 500;
        for (int i = 0; i < 50_000; i++) {
            int dice = random.nextInt(10);
            if (dice < 5 && scheduled.size() < 300) {
                Entry entry = new Entry();
                heap.schedule(entry, base + random.nextInt(1000));
                scheduled.add(entry);
            } else if (dice < 6 && !scheduled.isEmpty()) {
                Entry entry = scheduled.get(random.nextInt(scheduled.size()));
                heap.schedule(entry, base + random.nextInt(1000));
            } else if (!scheduled.isEmpty()) {
                Entry entry = scheduled.remove(random.nextInt(scheduled.size()));
                heap.cancel(entry);
                heap.cancel(entry);
                assertThat(entry.heapIndex).isEqualTo(Timed.NOT_SCHEDULED);
            }
            Timed first = heap.first();
            assertThat(heap.isEmpty()).isEqualTo(scheduled.isEmpty());
            long earliest =
                    scheduled.stream()
                            .map(entry -> entry.deadlineNs - base)
                            .min(Comparator.naturalOrder())
                            .orElse(-1L);
            assertThat(first == null ? -1 : first.deadlineNs - base).isEqualTo(earliest);
        }
    }
}
