package org.jbmi.testsuite;

import org.jbmi.Bmi;
import org.jbmi.observe.Counter;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Finds what instances of a method hold at the end, and blocks of memory that nobody frees. */
public final class RestCheck {
    private final MethodFixture fixture;
    private final List<Bmi> watched = new ArrayList<>();

    /**
     * Watches no instance yet.
     *
     * @param fixture names the counters
     */
    public RestCheck(MethodFixture fixture) {
        this.fixture = fixture;
    }

    /**
     * Watches an instance too.
     *
     * @param bmi any open one
     */
    public synchronized void watch(Bmi bmi) {
        watched.add(bmi);
    }

    /**
     * Fails if an instance still holds something after a while.
     *
     * @param bmi any open one
     */
    public void expectAtRest(Bmi bmi) {
        List<String> labels =
                new ArrayList<>(
                        List.of("bmi.operations", "bmi.unexpectedHeld", "bmi.unexpectedWaiting"));
        if (usesMethod(bmi)) {
            labels.addAll(fixture.restCounters());
        }
        labels.forEach(
                label ->
                        Expect.eventually(
                                () -> Scene.counter(bmi, label) == 0, label + " ends at 0"));
    }

    /**
     * Fails if an instance that is closed by now has lost blocks. Only now each has its counters: a
     * lookup may have begun to use the method, and the close counts the blocks.
     */
    public synchronized void expectNoLostBlocks() {
        watched.forEach(this::expectNoLostBlocks);
    }

    private void expectNoLostBlocks(Bmi bmi) {
        List<String> labels =
                Stream.of(true, false)
                        .map(fixture::leakedBlocksCounter)
                        .filter(Objects::nonNull)
                        .distinct()
                        .toList();
        List<Counter> counters =
                labels.stream().map(bmi.counters()::find).filter(Objects::nonNull).toList();
        Expect.that(
                !counters.isEmpty() || labels.isEmpty() || !usesMethod(bmi),
                "an instance has one of the counters " + labels);
        counters.forEach(RestCheck::expectZero);
    }

    /** Fails if an instance has met messages against the protocol; it may be closed by now. */
    public synchronized void expectNoFaults() {
        for (Bmi bmi : watched) {
            fixture.faultCounters().stream()
                    .map(bmi.counters()::find)
                    .filter(Objects::nonNull)
                    .forEach(RestCheck::expectZero);
        }
    }

    private static void expectZero(Counter counter) {
        Expect.equal(counter.get(), 0, counter.spec().label() + " at the end");
    }

    /** A method that the instance has not used yet has no counters. */
    private boolean usesMethod(Bmi bmi) {
        String first = fixture.name() + ".";
        return bmi.counters().all().stream()
                .anyMatch(counter -> counter.spec().label().startsWith(first));
    }
}
