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
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;

/** Lists through the nodes' own links against those of the JDK. */
class IntrusiveListProperties {
    private static final Duration WATCHDOG = Duration.ofSeconds(120);

    private static final class Node extends LinkedNode {
        final int number;

        Node(int number) {
            this.number = number;
        }
    }

    private enum Action {
        ADD_LAST,
        ADD_FIRST,
        POLL,
        REMOVE,
        DRAIN_EVEN
    }

    private record Step(Action action, int list, int node) {}

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

    /** Two lists share the nodes, so that each step also meets nodes of the other list. */
    @Property(tries = 200)
    void behaveLikeLinkedLists(@ForAll("programs") List<Step> program) {
        assertTimeoutPreemptively(
                WATCHDOG,
                () -> {
                    List<IntrusiveList<Node>> lists =
                            List.of(new IntrusiveList<>(), new IntrusiveList<>());
                    List<LinkedList<Node>> models = List.of(new LinkedList<>(), new LinkedList<>());
                    Node[] nodes = new Node[10];
                    for (int i = 0; i < nodes.length; i++) {
                        nodes[i] = new Node(i);
                    }
                    for (Step step : program) {
                        Node node = nodes[step.node];
                        boolean stands =
                                models.get(0).contains(node) || models.get(1).contains(node);
                        apply(
                                step.action,
                                lists.get(step.list),
                                models.get(step.list),
                                node,
                                stands);
                        for (int i = 0; i < lists.size(); i++) {
                            check(lists.get(i), models.get(i), nodes);
                        }
                    }
                });
    }

    private static void apply(
            Action action,
            IntrusiveList<Node> list,
            LinkedList<Node> model,
            Node node,
            boolean stands) {
        switch (action) {
            case ADD_LAST -> {
                if (stands) {
                    assertThatThrownBy(() -> list.addLast(node))
                            .isInstanceOf(IllegalStateException.class);
                } else {
                    list.addLast(node);
                    model.addLast(node);
                }
            }
            case ADD_FIRST -> {
                if (stands) {
                    assertThatThrownBy(() -> list.addFirst(node))
                            .isInstanceOf(IllegalStateException.class);
                } else {
                    list.addFirst(node);
                    model.addFirst(node);
                }
            }
            case POLL -> assertThat(list.poll()).isSameAs(model.poll());
            case REMOVE -> assertThat(list.remove(node)).isEqualTo(model.remove(node));
            case DRAIN_EVEN -> {
                List<Node> expected = model.stream().filter(n -> n.number % 2 == 0).toList();
                List<Node> drained = new ArrayList<>();
                list.drain(n -> n.number % 2 == 0, drained::add);
                model.removeAll(expected);
                assertThat(drained).isEqualTo(expected);
            }
        }
    }

    private static void check(IntrusiveList<Node> list, LinkedList<Node> model, Node[] all) {
        assertThat(list.isEmpty()).isEqualTo(model.isEmpty());
        assertThat(list.size()).isEqualTo(model.size());
        assertThat(list.first()).isSameAs(model.peekFirst());
        assertThat(list.last()).isSameAs(model.peekLast());
        List<Node> forward = new ArrayList<>();
        for (Node n = list.first(); n != null; n = list.next(n)) {
            forward.add(n);
        }
        assertThat(forward).isEqualTo(model);
        List<Node> backward = new ArrayList<>();
        for (Node n = list.last(); n != null; n = list.previous(n)) {
            backward.addFirst(n);
        }
        assertThat(backward).isEqualTo(model);
        for (Node node : all) {
            assertThat(list.contains(node)).isEqualTo(model.contains(node));
        }
    }

    @Test
    void nodeKnowsWhetherItStandsInAList() {
        IntrusiveList<Node> list = new IntrusiveList<>();
        Node node = new Node(1);
        assertThat(node.isListed()).isFalse();
        list.addLast(node);
        assertThat(node.isListed()).isTrue();
        list.poll();
        assertThat(node.isListed()).isFalse();
        new IntrusiveQueue<Node>().addLast(node);
        assertThat(node.isListed()).as("in a queue").isFalse();
    }
}
