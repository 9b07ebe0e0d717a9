package org.jbmi.zbmi.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.spi.IntrusiveList;
import org.jbmi.zbmi.engine.port.EagerPlaces;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A queue of sends and receives against two lists, in which the n-th send belongs to the n-th
 * receive: pairs are taken from the front and put back, and any operation is cancelled.
 */
@Timeout(30)
class MatchQueueTest {
    private static final EngineLimits LIMITS =
            new EngineLimits(1, 100, 1, 1, 1, 0, 0, EagerPlaces.NONE, 1, 0, 1, 1, 1, 0);

    private record Pair(Operation send, Operation receive) {}

    private final MatchQueue queue = new ClientSession(1, LIMITS).tags.get(5).towardServer;
    private final OperationPool pool = new OperationPool(1000, 0);
    private final List<Operation> sends = new ArrayList<>();
    private final List<Operation> receives = new ArrayList<>();
    private final List<Pair> offered = new ArrayList<>();

    @Test
    void partnersAreKnownWhateverComesAndGoes() {
        long seed = Long.getLong("jbmi.seed", System.nanoTime());
        System.out.println("MatchQueueTest seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            // One side is ahead for a while, then the other.
            boolean isSend = random.nextInt(10) < (i / 50 % 2 == 0 ? 7 : 3);
            int dice = random.nextInt(10);
            if (dice < 5 && sends.size() + receives.size() < 40) {
                append(isSend);
            } else if (dice < 7) {
                cancel(isSend ? sends : receives, random);
            } else if (dice < 9) {
                offer();
            } else {
                takeBack(random);
            }
            check();
        }
    }

    private void append(boolean isSend) {
        Operation operation = pool.take();
        operation.kind = isSend ? Operation.Kind.SEND : Operation.Kind.RECEIVE;
        queue.append(operation);
        (isSend ? sends : receives).add(operation);
    }

    private void cancel(List<Operation> side, Random random) {
        if (!side.isEmpty()) {
            Operation operation = side.remove(random.nextInt(side.size()));
            queue.remove(operation);
            pool.release(operation);
        }
    }

    private void offer() {
        if (queue.hasPair() && offered.size() < 10) {
            Pair pair = new Pair(sends.removeFirst(), receives.removeFirst());
            queue.remove(pair.send);
            queue.remove(pair.receive);
            offered.add(pair);
        }
    }

    /** All of them, newest first; of some, one side has been forgotten meanwhile. */
    private void takeBack(Random random) {
        while (!offered.isEmpty()) {
            Pair pair = offered.removeLast();
            int lost = random.nextInt(6);
            putBack(pair.send, sends, lost == 0);
            putBack(pair.receive, receives, lost == 1);
            check();
        }
    }

    private void putBack(Operation operation, List<Operation> side, boolean isLost) {
        if (isLost) {
            pool.release(operation);
        } else {
            queue.prepend(operation);
            side.addFirst(operation);
        }
    }

    private void check() {
        int pairs = Math.min(sends.size(), receives.size());
        assertThat(queue.hasPair()).isEqualTo(pairs > 0);
        assertThat(queue.isEmpty()).isEqualTo(sends.isEmpty() && receives.isEmpty());
        assertThat(queue.sends.first()).isSameAs(sends.isEmpty() ? null : sends.getFirst());
        assertThat(queue.receives.first())
                .isSameAs(receives.isEmpty() ? null : receives.getFirst());
        assertThat(queue.firstOfServer()).isSameAs(queue.receives.first());
        assertThat(queue.partnerForNext(Operation.Kind.RECEIVE))
                .isSameAs(sends.size() > pairs ? sends.get(pairs) : null);
        assertThat(queue.partnerForNext(Operation.Kind.SEND))
                .isSameAs(receives.size() > pairs ? receives.get(pairs) : null);
        checkSide(queue.sends, sends, pairs);
        checkSide(queue.receives, receives, pairs);
    }

    private void checkSide(IntrusiveList<Operation> list, List<Operation> side, int pairs) {
        for (int i = 0; i < side.size(); i++) {
            assertThat(queue.isPaired(side.get(i))).isEqualTo(i < pairs);
            Operation next = list.next(side.get(i));
            assertThat(next).isSameAs(i + 1 < side.size() ? side.get(i + 1) : null);
        }
    }
}
