package org.jbmi.core.unexpected;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Messages that change queues keep the order of their arrival. */
class UnexpectedQueueProperties {
    private static final Duration WATCHDOG = Duration.ofSeconds(120);

    private static UnexpectedBuffer message(long arrival) {
        UnexpectedBuffer buffer = new UnexpectedBuffer(null, null);
        buffer.arrival = arrival;
        return buffer;
    }

    private static List<Long> drain(UnexpectedQueue queue) {
        List<Long> arrivals = new ArrayList<>();
        for (UnexpectedBuffer b = queue.poll(); b != null; b = queue.poll()) {
            arrivals.add(b.arrival);
        }
        return arrivals;
    }

    /** Each message is in the queue already (true) or is given back to it (false). */
    @Property(tries = 200)
    void whatComesBackFindsItsPlaceByArrival(@ForAll @Size(max = 30) List<Boolean> isHere) {
        assertTimeoutPreemptively(
                WATCHDOG,
                () -> {
                    UnexpectedQueue queue = new UnexpectedQueue(null, null, null);
                    List<Long> all = new ArrayList<>();
                    for (boolean here : isHere) {
                        long arrival = all.size();
                        all.add(arrival);
                        if (here) {
                            queue.add(message(arrival));
                        } else {
                            queue.stage(message(arrival));
                        }
                    }
                    assertThat(queue.isEmpty()).isEqualTo(!isHere.contains(true));
                    assertThat(queue.mergeStaged()).isEqualTo(isHere.contains(false));
                    assertThat(queue.isEmpty()).isEqualTo(isHere.isEmpty());
                    assertThat(queue.mergeStaged()).as("they are in").isFalse();

                    // The newest is behind all of them, and they come out from the oldest on.
                    long newest = all.size();
                    all.add(newest);
                    queue.add(message(newest));
                    assertThat(drain(queue)).isEqualTo(all);
                    assertThat(queue.isEmpty()).isTrue();
                });
    }

    @Property(tries = 50)
    void queueThatBecameEmptyBeginsAnew(@ForAll @Size(max = 10) List<Boolean> takesOne) {
        assertTimeoutPreemptively(
                WATCHDOG,
                () -> {
                    UnexpectedQueue queue = new UnexpectedQueue(null, null, null);
                    long next = 0;
                    for (boolean poll : takesOne) {
                        queue.add(message(next));
                        if (poll) {
                            assertThat(queue.poll().arrival).isEqualTo(next);
                        } else {
                            assertThat(drain(queue)).containsExactly(next);
                        }
                        assertThat(queue.isEmpty()).isTrue();
                        next++;
                    }
                });
    }
}
