package org.jbmi.conformance;

import org.jbmi.BmiBuilder;
import org.jbmi.testsuite.World;

import java.util.Map;

/** A world that another process made: its coordinates are the knobs of those who reach it. */
final class JoinedWorld implements World {
    private final Map<String, String> knobs;

    JoinedWorld(Map<String, String> knobs) {
        this.knobs = knobs;
    }

    @Override
    public BmiBuilder extend(BmiBuilder builder) {
        knobs.forEach(builder::knob);
        return builder;
    }

    @Override
    public String serverAddress(int number) {
        return "zoid://";
    }

    @Override
    public void close() {}
}
