package org.jbmi.testsuite;

import org.jbmi.Bmi;
import org.jbmi.observe.Counter;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds blocks of memory that nobody frees. A method counts them when an instance closes, so this
 * keeps the counters of open instances until then.
 */
public final class LostBlocks {
    private final MethodFixture fixture;
    private final List<Counter> counters = new ArrayList<>();

    /**
     * Watches no instance yet.
     *
     * @param fixture names the counters
     */
    public LostBlocks(MethodFixture fixture) {
        this.fixture = fixture;
    }

    /**
     * Watches an instance too.
     *
     * @param bmi any open one
     */
    public synchronized void watch(Bmi bmi) {
        for (boolean ofServer : new boolean[] {false, true}) {
            String label = fixture.leakedBlocksCounter(ofServer);
            Counter counter = label == null ? null : bmi.counters().find(label);
            if (counter != null) {
                counters.add(counter);
            }
        }
    }

    /** Fails if an instance that is closed by now has lost blocks. */
    public synchronized void expectNone() {
        counters.forEach(
                counter -> Expect.equal(counter.get(), 0, counter.spec().label() + " at the end"));
    }
}
