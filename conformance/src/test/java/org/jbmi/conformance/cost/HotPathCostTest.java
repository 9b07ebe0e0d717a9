package org.jbmi.conformance.cost;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the hot paths cost, counted in the code that runs and not timed: locked instructions, reads
 * of the clock, and the classes and interfaces that take part. Each bound is near what was counted
 * when it was last written down: a change that costs more fails here, one that costs less lowers
 * it.
 *
 * <p>zoid's engine is run by whoever is in a call or by its own thread, and whoever waits looks
 * more or less often; the cheapest of many rounds is the one without looks in vain.
 */
@Timeout(120)
class HotPathCostTest {
    private static final int WARM = 20;
    private static final int ROUNDS = 300;
    private static final long PATIENCE_NS = 40_000_000_000L;

    @Test
    void loopbackTakesAtMostEightLockedInstructionsForFourCalls() throws Exception {
        Cost cost = worst("loopbackFourCalls");
        assertThat(cost.unknown()).isEmpty();
        assertThat(cost.locked()).as(cost.line()).isLessThanOrEqualTo(8);
        assertThat(cost.clocks()).isZero();
        assertThat(cost.parks()).isZero();
    }

    @Test
    void loopbackUnexpectedMessage() throws Exception {
        Cost cost = worst("loopbackUnexpected");
        assertThat(cost.unknown()).isEmpty();
        assertThat(cost.locked()).as(cost.line()).isLessThanOrEqualTo(15);
        assertThat(cost.clocks()).isZero();
        assertThat(cost.parks()).isZero();
    }

    /** No post of it waits for an answer, and the reply is one message. */
    @Test
    void zoidCall() throws Exception {
        Cost cost = cheapest("zoidCall", 21);
        assertThat(cost.unknown()).isEmpty();
        assertThat(cost.locked()).as(cost.line()).isLessThanOrEqualTo(21);
        assertThat(cost.clocks()).isLessThanOrEqualTo(4);
        assertThat(cost.types()).hasSizeLessThanOrEqualTo(140);
    }

    /** Request and reply lie in slots, without a grant. */
    @Test
    void zoidLongCall() throws Exception {
        Cost cost = cheapest("zoidLongCall", 24);
        assertThat(cost.unknown()).isEmpty();
        assertThat(cost.locked()).as(cost.line()).isLessThanOrEqualTo(24);
        assertThat(cost.clocks()).isLessThanOrEqualTo(4);
        assertThat(cost.types()).hasSizeLessThanOrEqualTo(147);
    }

    @Test
    void zoidUnexpectedMessage() throws Exception {
        Cost cost = cheapest("zoidUnexpected", 8);
        assertThat(cost.unknown()).isEmpty();
        assertThat(cost.locked()).as(cost.line()).isLessThanOrEqualTo(8);
        assertThat(cost.clocks()).isLessThanOrEqualTo(3);
        assertThat(cost.types()).hasSizeLessThanOrEqualTo(98);
    }

    /** It lies in an eager slot, and costs hardly more than one in the lane. */
    @Test
    void zoidLongUnexpectedMessage() throws Exception {
        Cost cost = cheapest("zoidLongUnexpected", 11);
        assertThat(cost.unknown()).isEmpty();
        assertThat(cost.locked()).as(cost.line()).isLessThanOrEqualTo(11);
        assertThat(cost.clocks()).isLessThanOrEqualTo(3);
        assertThat(cost.types()).hasSizeLessThanOrEqualTo(98);
    }

    /** A bound that cannot fail shows nothing: what is there is seen. */
    @Test
    void everyKindIsCounted() throws Exception {
        Cost cost = worst("everyKind");
        assertThat(cost.where().values()).containsExactly(12L);
        assertThat(cost.clocks()).isEqualTo(2);
        assertThat(cost.parks()).isEqualTo(1);
        assertThat(cost.unknown()).containsExactly("java.util.concurrent.CountDownLatch.countDown");
    }

    /** Work in one thread costs the same each time. */
    private static Cost worst(String work) throws Exception {
        Cost worst = costs(work).stream().max(Comparator.comparingLong(Cost::locked)).orElseThrow();
        System.out.println(work + ": " + worst.line());
        return worst;
    }

    private static Cost cheapest(String work, long most) throws Exception {
        List<Cost> costs = new ArrayList<>(costs(work));
        long endNs = System.nanoTime() + PATIENCE_NS;
        // Where another thread never runs beside this one, every round looks in vain.
        while (costs.stream().mapToLong(Cost::locked).min().orElse(0) > most
                && System.nanoTime() - endNs < 0) {
            costs.addAll(costs(work));
        }
        Cost least = costs.stream().min(Comparator.comparingLong(Cost::locked)).orElseThrow();
        long clocks = costs.stream().mapToLong(Cost::clocks).min().orElseThrow();
        long parks = costs.stream().mapToLong(Cost::parks).min().orElseThrow();
        Set<String> types =
                costs.stream()
                        .map(Cost::types)
                        .min(Comparator.comparingInt(Set::size))
                        .orElseThrow();
        Set<String> unknown = new TreeSet<>();
        costs.forEach(each -> unknown.addAll(each.unknown()));
        Cost cheapest = new Cost(least.where(), clocks, parks, types, unknown);
        System.out.println(work + ": " + cheapest.line());
        return cheapest;
    }

    @SuppressWarnings("unchecked") // each piece of work returns its costs
    private static List<Cost> costs(String work) throws Exception {
        Thread here = Thread.currentThread();
        ClassLoader parent = here.getContextClassLoader();
        ClassLoader loader = new CountingLoader(parent);
        here.setContextClassLoader(loader); // by which methods are found
        try {
            Class<?> type = loader.loadClass(Work.class.getName());
            Object costs = type.getMethod(work, int.class).invoke(null, WARM + ROUNDS);
            return ((List<Cost>) costs).subList(WARM, WARM + ROUNDS);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause());
        } finally {
            here.setContextClassLoader(parent);
        }
    }
}
