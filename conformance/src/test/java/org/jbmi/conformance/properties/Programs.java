package org.jbmi.conformance.properties;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

import org.jbmi.testsuite.model.Step;
import org.jbmi.testsuite.model.Way;

import java.util.List;

/** Random steps of programs, on few ways, so that they meet. */
final class Programs {
    /** Sizes on both sides of every limit at which a method changes its way. */
    static final List<Integer> SIZES =
            List.of(
                    0, 1, 17, 64, 1000, 1024, 1025, 4096, 4097, 8192, 8193, 16_384, 16_385, 70_000,
                    300_000);

    private static final int CLIENTS = 2;

    private Programs() {}

    static Arbitrary<Way> ways(int tags) {
        return Combinators.combine(
                        Arbitraries.integers().between(0, CLIENTS - 1),
                        Arbitraries.of(true, false),
                        Arbitraries.integers().between(0, tags - 1))
                .as(Way::new);
    }

    static Arbitrary<Integer> sizes(int atMost) {
        return Arbitraries.of(SIZES.stream().filter(size -> size <= atMost).toList());
    }

    static Arbitrary<Step> sends(int atMost) {
        return Combinators.combine(ways(2), sizes(atMost), Arbitraries.integers().between(1, 4))
                .as(Step.Send::new);
    }

    static Arbitrary<Step> receives(int atMost) {
        return Combinators.combine(ways(2), sizes(atMost), Arbitraries.integers().between(1, 4))
                .as(Step.Receive::new);
    }

    /** Receives with room for every message. */
    static Arbitrary<Step> roomyReceives(int largest) {
        return Combinators.combine(
                        ways(2),
                        Arbitraries.of(largest, largest + 100),
                        Arbitraries.integers().between(1, 4))
                .as(Step.Receive::new);
    }

    static Arbitrary<Step> cancels() {
        return Arbitraries.integers().between(0, 20).map(Step.Cancel::new);
    }

    static Arbitrary<Step> letters() {
        return Combinators.combine(
                        Arbitraries.integers().between(0, CLIENTS - 1),
                        Arbitraries.integers().between(-3, 3),
                        Arbitraries.of(0, 1, 100, 4096))
                .as(Step.Unexpected::new);
    }

    static Arbitrary<Step> takes() {
        return Arbitraries.integers().between(1, 4).map(Step.Take::new);
    }

    static Arbitrary<Step> looks() {
        return Arbitraries.of(Step.Call.values()).map(Step.Look::new);
    }

    static Arbitrary<Step> allocations() {
        return Arbitraries.of(0, 64, 10_000, 300_000, 1 << 20).map(Step.Allocate::new);
    }

    static Arbitrary<Step> frees() {
        return Arbitraries.integers().between(0, 10).map(Step.Free::new);
    }
}
