package org.jbmi.testsuite;

import org.jbmi.Bmi;
import org.jbmi.observe.Counter;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds what instances of a method hold at the end, and blocks of memory that nobody frees. */
public final class RestCheck {
    private static final String OF_CORE = "bmi.";

    /** A close ends what is pending or waits, and then nobody can ask for it. */
    private static final List<String> OF_OPEN =
            List.of("bmi.operations", "bmi.unexpectedHeld", "bmi.unexpectedWaiting");

    private final MethodFixture fixture;
    private final List<Bmi> watched = new ArrayList<>();
    private final IdentityHashMap<Bmi, Long> faults = new IdentityHashMap<>();

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
     * Fails if an environment still holds something after a while, although its peers are at rest.
     *
     * @param environment one whose instances are open
     */
    public static void expectNothingHeld(Environment environment) {
        List<String> held = environment.held();
        Expect.eventually(
                () -> environment.held().isEmpty(), "the environment holds nothing of " + held);
    }

    /**
     * Fails if an instance still holds something after a while.
     *
     * @param bmi any; a closed one holds no message and nothing of its method
     */
    public void expectAtRest(Bmi bmi) {
        List<String> ofMethod = usesMethod(bmi) ? fixture.restCounters() : List.of();
        if (bmi.isClosed()) {
            Stream.concat(Stream.of("bmi.unexpectedHeld"), ofMethod.stream())
                    .forEach(
                            label ->
                                    Expect.equal(
                                            Scene.counter(bmi, label),
                                            0,
                                            label + " of a closed instance"));
        } else {
            Stream.concat(OF_OPEN.stream(), ofMethod.stream())
                    .forEach(
                            label ->
                                    Expect.eventually(
                                            () -> Scene.counter(bmi, label) == 0,
                                            label + " ends at 0"));
        }
        countersOf(bmi, blockCounters()); // they must be there; after a close nobody could tell
        countersOf(bmi, fixture.faultCounters());
    }

    /**
     * Fails if an instance that is closed by now has lost blocks. Only now each has its counters: a
     * lookup may have begun to use the method, and the close counts the blocks.
     */
    public synchronized void expectNoLostBlocks() {
        watched.forEach(this::expectNoLostBlocks);
    }

    private List<String> blockCounters() {
        return Stream.of(true, false)
                .map(fixture::leakedBlocksCounter)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
    }

    private void expectNoLostBlocks(Bmi bmi) {
        for (Counter counter : countersOf(bmi, blockCounters())) {
            Expect.equal(counter.get(), 0, counter.spec().label() + " at the end");
        }
    }

    /**
     * Announces that an instance meets messages that break the protocol. No other one may.
     *
     * @param bmi an instance that is watched
     * @param count how many, if the method counts them
     */
    public synchronized void expectFaults(Bmi bmi, long count) {
        faults.put(bmi, count);
    }

    /**
     * Fails if an instance has met messages against the protocol, or others than were announced; it
     * may be closed by now.
     */
    public synchronized void expectNoFaults() {
        for (Bmi bmi : watched) {
            List<Counter> counters = countersOf(bmi, fixture.faultCounters());
            if (!counters.isEmpty()) {
                Expect.equal(
                        counters.stream().mapToLong(Counter::get).sum(),
                        (long) faults.getOrDefault(bmi, 0L),
                        labelsOf(counters) + " at the end");
            }
        }
    }

    private static String labelsOf(List<Counter> counters) {
        return counters.stream()
                .map(counter -> counter.spec().label())
                .collect(Collectors.joining(" and "));
    }

    /** Each half of a method may have counters of its own, so one of them is enough. */
    private List<Counter> countersOf(Bmi bmi, List<String> labels) {
        List<Counter> counters =
                labels.stream().map(bmi.counters()::find).filter(Objects::nonNull).toList();
        Expect.that(
                !counters.isEmpty() || labels.isEmpty() || !usesMethod(bmi),
                "an instance has one of the counters " + labels);
        return counters;
    }

    /**
     * A client that has looked nobody up has no counters of a method. A closed instance does not
     * say whether it used one, but its counters tell: those of the core have a prefix of their own.
     */
    private static boolean usesMethod(Bmi bmi) {
        if (!bmi.isClosed()) {
            return bmi.isActive();
        }
        return bmi.counters().all().stream()
                .anyMatch(counter -> !counter.spec().label().startsWith(OF_CORE));
    }
}
