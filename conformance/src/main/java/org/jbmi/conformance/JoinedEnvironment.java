package org.jbmi.conformance;

import org.jbmi.BmiBuilder;
import org.jbmi.testsuite.Environment;

import java.util.Map;

/**
 * An environment of another process: its coordinates are the knobs of the instances that join it.
 */
final class JoinedEnvironment implements Environment {
    private final Map<String, String> knobs;

    JoinedEnvironment(Map<String, String> knobs) {
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
