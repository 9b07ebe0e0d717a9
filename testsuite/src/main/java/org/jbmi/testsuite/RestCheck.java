package org.jbmi.testsuite;

import org.jbmi.Bmi;
import org.jbmi.observe.Counter;

import java.util.ArrayList;
import java.util.List;

/** Finds what instances of a method hold at the end, and blocks of memory that nobody frees. */
public final class RestCheck {
    private final MethodFixture fixture;
    private final List<Counter> lostBlocks = new ArrayList<>();

    /**
     * Watches no instance yet.
     *
     * @param fixture names the counters
     */
    public RestCheck(MethodFixture fixture) {
        this.fixture = fixture;
    }

    /**
     * Watches an instance too. A method counts lost blocks when the instance closes, so this keeps
     * the counters until then.
     *
     * @param bmi any open one
     */
    public synchronized void watch(Bmi bmi) {
        for (boolean ofServer : new boolean[] {false, true}) {
            String label = fixture.leakedBlocksCounter(ofServer);
            Counter counter = label == null ? null : bmi.counters().find(label);
            if (counter != null) {
                lostBlocks.add(counter);
            }
        }
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
        // A method that the instance has not used yet has no counters.
        if (fixture.restCounters().stream().anyMatch(each -> bmi.counters().find(each) != null)) {
            labels.addAll(fixture.restCounters());
        }
        labels.forEach(
                label ->
                        Expect.eventually(
                                () -> Scene.counter(bmi, label) == 0, label + " ends at 0"));
    }

    /** Fails if an instance that is closed by now has lost blocks. */
    public synchronized void expectNoLostBlocks() {
        lostBlocks.forEach(
                counter -> Expect.equal(counter.get(), 0, counter.spec().label() + " at the end"));
    }
}
