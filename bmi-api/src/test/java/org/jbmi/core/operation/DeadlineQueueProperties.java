package org.jbmi.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

import org.jbmi.PostOptions;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The heap of deadlines against a list that is searched. */
class DeadlineQueueProperties {
    private static final Duration WATCHDOG = Duration.ofSeconds(120);
    private static final long NS_PER_MS = 1_000_000;

    private enum Action {
        ADD,
        ADD_LATE,
        REMOVE,
        SLIDE,
        ADVANCE
    }

    private record Step(Action action, int idleMs, int absoluteMs, int choice) {}

    @Provide
    Arbitrary<List<Step>> programs() {
        Arbitrary<Action> actions =
                Arbitraries.frequency(
                        Tuple.of(5, Action.ADD),
                        Tuple.of(1, Action.ADD_LATE),
                        Tuple.of(2, Action.REMOVE),
                        Tuple.of(3, Action.SLIDE),
                        Tuple.of(2, Action.ADVANCE));
        Arbitrary<Integer> times = Arbitraries.integers().between(0, 500);
        return Combinators.combine(actions, times, times, Arbitraries.integers().between(0, 1000))
                .as(Step::new)
                .list()
                .ofMaxSize(200);
    }

    /** The queue and the model, at a time of their own. */
    private static final class World {
        final DeadlineQueue queue = new DeadlineQueue();
        final Map<CoreOperation, Long> live = new LinkedHashMap<>();
        long nowNs = System.nanoTime();
        int slots;

        CoreOperation fresh(Step step) {
            CoreOperation operation = new CoreOperation(slots++);
            int absolute = step.idleMs == 0 && step.absoluteMs == 0 ? 1 : step.absoluteMs;
            operation.options(
                    PostOptions.NONE.withIdleDeadlineMs(step.idleMs).withDeadlineMs(absolute));
            operation.begin(10);
            return operation;
        }

        CoreOperation chosen(Step step) {
            List<CoreOperation> all = new ArrayList<>(live.keySet());
            return all.isEmpty() ? null : all.get(step.choice % all.size());
        }

        void apply(Step step) {
            switch (step.action) {
                case ADD -> {
                    CoreOperation operation = fresh(step);
                    queue.reserve();
                    queue.add(operation, operation.id());
                    live.put(operation, operation.id());
                }
                case ADD_LATE -> {
                    CoreOperation over = fresh(step);
                    long id = over.id();
                    over.endIdentity();
                    queue.reserve();
                    assertThat(queue.add(over, id)).isFalse();
                }
                case REMOVE -> {
                    CoreOperation operation = chosen(step);
                    if (operation != null) {
                        queue.remove(operation);
                        queue.remove(operation); // twice does nothing
                        live.remove(operation);
                    }
                }
                case SLIDE -> {
                    CoreOperation operation = chosen(step);
                    if (operation != null) {
                        nowNs = Math.max(nowNs, System.nanoTime()); // it only goes on
                        operation.progressed(nowNs);
                    }
                }
                case ADVANCE -> advance(step.choice % 200);
            }
        }

        void advance(long milliseconds) {
            nowNs += milliseconds * NS_PER_MS;
            CoreOperation expired = queue.pollExpired(nowNs);
            while (expired != null) {
                assertThat(expired.isExpired(nowNs)).isTrue();
                assertThat(live.remove(expired)).isEqualTo(queue.expiredId());
                queue.unreserve();
                expired = queue.pollExpired(nowNs);
            }
            for (CoreOperation operation : live.keySet()) {
                assertThat(operation.isExpired(nowNs)).isFalse();
            }
        }

        void check() {
            assertThat(queue.isEmpty()).isEqualTo(live.isEmpty());
            long first = Long.MAX_VALUE;
            for (CoreOperation operation : live.keySet()) {
                first = Math.min(first, operation.deadlineNs() - nowNs);
            }
            // Never later than the first; sooner where a deadline slid and was not looked at since.
            assertThat(queue.untilNextNs(nowNs)).isLessThanOrEqualTo(first);
        }
    }

    @Property(tries = 200)
    void behavesLikeAListThatIsSearched(@ForAll("programs") List<Step> program) {
        assertTimeoutPreemptively(
                WATCHDOG,
                () -> {
                    World world = new World();
                    for (Step step : program) {
                        world.apply(step);
                        world.check();
                    }
                    world.advance(10_000);
                    assertThat(world.live).isEmpty();
                    assertThat(world.queue.isEmpty()).isTrue();
                    assertThat(world.queue.untilNextNs(world.nowNs)).isEqualTo(Long.MAX_VALUE);
                });
    }
}
