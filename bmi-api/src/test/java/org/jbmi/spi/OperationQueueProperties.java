package org.jbmi.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import java.util.ArrayList;
import java.util.List;

/** Queues through the operations' own links against lists. */
class OperationQueueProperties {
    private static final class TestOperation extends Operation {}

    private enum Action {
        ADD,
        ADD_FIRST,
        POLL,
        REMOVE
    }

    private record Step(Action action, int queue, int operation) {}

    @Provide
    Arbitrary<List<Step>> programs() {
        return Combinators.combine(
                        Arbitraries.of(Action.values()),
                        Arbitraries.integers().between(0, 1),
                        Arbitraries.integers().between(0, 9))
                .as(Step::new)
                .list()
                .ofMaxSize(200);
    }

    @Property(tries = 200)
    void behaveLikeLists(@ForAll("programs") List<Step> program) {
        OperationQueue[] queues = {new OperationQueue(), new OperationQueue()};
        List<List<Operation>> models = List.of(new ArrayList<>(), new ArrayList<>());
        Operation[] operations = new Operation[10];
        for (int i = 0; i < 10; i++) {
            operations[i] = new TestOperation();
        }
        for (Step step : program) {
            apply(step, queues, models, operations[step.operation]);
            for (int q = 0; q < 2; q++) {
                check(queues[q], models.get(q), operations);
            }
        }
    }

    private static void apply(
            Step step, OperationQueue[] queues, List<List<Operation>> models, Operation operation) {
        OperationQueue queue = queues[step.queue];
        List<Operation> model = models.get(step.queue);
        boolean stands = models.get(0).contains(operation) || models.get(1).contains(operation);
        switch (step.action) {
            case ADD -> {
                if (stands) {
                    assertThatThrownBy(() -> queue.add(operation))
                            .isInstanceOf(IllegalStateException.class);
                } else {
                    queue.add(operation);
                    model.addLast(operation);
                }
            }
            case ADD_FIRST -> {
                if (stands) {
                    assertThatThrownBy(() -> queue.addFirst(operation))
                            .isInstanceOf(IllegalStateException.class);
                } else {
                    queue.addFirst(operation);
                    model.addFirst(operation);
                }
            }
            case POLL ->
                    assertThat(queue.poll()).isSameAs(model.isEmpty() ? null : model.removeFirst());
            case REMOVE -> assertThat(queue.remove(operation)).isEqualTo(model.remove(operation));
        }
    }

    private static void check(OperationQueue queue, List<Operation> model, Operation[] all) {
        assertThat(queue.isEmpty()).isEqualTo(model.isEmpty());
        assertThat(queue.size()).isEqualTo(model.size());
        List<Operation> walked = new ArrayList<>();
        for (Operation o = queue.peek(); o != null; o = o.next()) {
            walked.add(o);
        }
        assertThat(walked).isEqualTo(model);
        for (Operation operation : all) {
            assertThat(queue.contains(operation)).isEqualTo(model.contains(operation));
        }
    }
}
