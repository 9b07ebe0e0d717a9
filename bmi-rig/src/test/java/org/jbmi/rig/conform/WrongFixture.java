package org.jbmi.rig.conform;

import org.jbmi.BmiBuilder;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.Environment;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.MethodFixture;

import java.util.List;
import java.util.Set;

/** A third party's fixture as the service loader finds it; its method is not there at all. */
public final class WrongFixture implements MethodFixture {
    @Override
    public String name() {
        return "wrong";
    }

    @Override
    public String configuration() {
        return "quite";
    }

    @Override
    public String scheme() {
        return "wrong";
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of();
    }

    @Override
    public Environment open(EnvironmentSettings settings) {
        return new Environment() {
            @Override
            public BmiBuilder extend(BmiBuilder builder) {
                return builder;
            }

            @Override
            public String serverAddress(int number) {
                return "wrong://" + number;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public List<String> malformedAddresses() {
        return List.of();
    }
}
