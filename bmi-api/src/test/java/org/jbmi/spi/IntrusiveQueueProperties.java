package org.jbmi.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.LinkedList;
import java.util.List;

/** Queues through the nodes' own links against lists of the JDK. */
class IntrusiveQueueProperties {
    private static final Duration WATCHDOG = Duration.ofSeconds(120);

    private static final class Node extends LinkedNode {}

    private enum Action {
        ADD_LAST,
        ADD_FIRST,
        POLL,
        PASS_ON
    }

    private record Step(Action action, int queue) {}

    @Provide
    Arbitrary<List<Step>> programs() {
        return Combinators.combine(
                        Arbitraries.of(Action.values()), Arbitraries.integers().between(0, 1))
                .as(Step::new)
                .list()
                .ofMaxSize(200);
    }

    /** What leaves one queue enters the other, as free records and those in use do. */
    @Property(tries = 200)
    void behaveLikeLinkedLists(@ForAll("programs") List<Step> program) {
        assertTimeoutPreemptively(
                WATCHDOG,
                () -> {
                    List<IntrusiveQueue<Node>> queues =
                            List.of(new IntrusiveQueue<>(), new IntrusiveQueue<>());
                    List<LinkedList<Node>> models = List.of(new LinkedList<>(), new LinkedList<>());
                    for (Step step : program) {
                        IntrusiveQueue<Node> queue = queues.get(step.queue);
                        LinkedList<Node> model = models.get(step.queue);
                        Node fresh = new Node();
                        switch (step.action) {
                            case ADD_LAST -> {
                                queue.addLast(fresh);
                                model.addLast(fresh);
                            }
                            case ADD_FIRST -> {
                                queue.addFirst(fresh);
                                model.addFirst(fresh);
                            }
                            case POLL -> assertThat(queue.poll()).isSameAs(model.poll());
                            case PASS_ON -> {
                                Node passed = queue.poll();
                                assertThat(passed).isSameAs(model.poll());
                                if (passed != null) {
                                    queues.get(1 - step.queue).addLast(passed);
                                    models.get(1 - step.queue).addLast(passed);
                                }
                            }
                        }
                        for (int i = 0; i < queues.size(); i++) {
                            assertThat(queues.get(i).isEmpty()).isEqualTo(models.get(i).isEmpty());
                            assertThat(queues.get(i).size()).isEqualTo(models.get(i).size());
                            assertThat(queues.get(i).first()).isSameAs(models.get(i).peek());
                        }
                    }
                    for (int i = 0; i < queues.size(); i++) {
                        while (!models.get(i).isEmpty()) {
                            assertThat(queues.get(i).poll()).isSameAs(models.get(i).poll());
                        }
                        assertThat(queues.get(i).poll()).isNull();
                    }
                });
    }

    @Test
    void whatStandsElsewhereIsRefused() {
        Node listed = new Node();
        new IntrusiveList<Node>().addLast(listed);
        IntrusiveQueue<Node> queue = new IntrusiveQueue<>();
        assertThatThrownBy(() -> queue.addLast(listed)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> queue.addFirst(listed)).isInstanceOf(IllegalStateException.class);
        assertThat(queue.isEmpty()).isTrue();

        Node queued = new Node();
        queue.addLast(queued);
        assertThatThrownBy(() -> queue.addLast(queued)).isInstanceOf(IllegalStateException.class);
        queue.addLast(new Node());
        assertThatThrownBy(() -> queue.addFirst(queued)).isInstanceOf(IllegalStateException.class);
        assertThat(queue.size()).isEqualTo(2);
    }
}
