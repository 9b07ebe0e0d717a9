package org.jbmi.testsuite;

import org.jbmi.BmiBuilder;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** A fixture of no method: its environment is empty. */
final class BareFixture implements MethodFixture {
    List<String> leftovers = List.of();
    List<String> faults = List.of();
    Error closeError;
    volatile boolean closed;

    @Override
    public String name() {
        return "bare";
    }

    @Override
    public String scheme() {
        return "bare";
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.noneOf(Capability.class);
    }

    @Override
    public Environment open(EnvironmentSettings settings) {
        return new Environment() {
            @Override
            public BmiBuilder extend(BmiBuilder builder) {
                throw new UnsupportedOperationException();
            }

            @Override
            public String serverAddress(int number) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void close() {
                closed = true;
                if (closeError != null) {
                    throw closeError;
                }
            }

            @Override
            public List<String> faults() {
                return faults;
            }

            @Override
            public List<String> leftovers() {
                return leftovers;
            }
        };
    }

    @Override
    public List<String> malformedAddresses() {
        return List.of();
    }
}
