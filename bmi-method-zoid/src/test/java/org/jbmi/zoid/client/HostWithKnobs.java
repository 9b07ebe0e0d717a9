package org.jbmi.zoid.client;

import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.observe.Counters;
import org.jbmi.spi.AllocationTracking;
import org.jbmi.spi.Operation;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.zoid.ZoidKnobs;
import org.jbmi.zoid.common.QuietHost;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The host of a client half with the default of each knob, unless it is given. */
class HostWithKnobs extends QuietHost {
    private final Counters counters = Counters.inMemory();
    private final Map<String, String> given;

    HostWithKnobs() {
        this(Map.of());
    }

    HostWithKnobs(Map<String, String> given) {
        this.given = given;
    }

    @Override
    public void complete(Operation operation, int error, long sizeBytes) {}

    @Override
    public Configuration configuration() {
        List<Knob<?>> knobs = new ArrayList<>(ZoidKnobs.all());
        knobs.add(AllocationTracking.KNOB);
        knobs.add(WaitPolicy.MODE);
        knobs.add(WaitPolicy.SPIN_NS);
        return Configuration.resolve(knobs, given, name -> null, name -> null);
    }

    @Override
    public Counters counters() {
        return counters;
    }
}
