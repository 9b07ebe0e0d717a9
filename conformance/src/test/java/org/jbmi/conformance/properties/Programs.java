package org.jbmi.conformance.properties;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

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
        return sends(atMost, contexts(), deadlines());
    }

    /** Sends in the first context, without a deadline. */
    static Arbitrary<Step> plainSends(int atMost) {
        return sends(atMost, Arbitraries.just(0), Arbitraries.just(Step.Deadline.NONE));
    }

    private static Arbitrary<Step> sends(
            int atMost, Arbitrary<Integer> contexts, Arbitrary<Step.Deadline> deadlines) {
        return Combinators.combine(ways(2), sizes(atMost), pieces(), contexts, deadlines)
                .as(Step.Send::new);
    }

    static Arbitrary<Step> receives(int atMost) {
        return receives(sizes(atMost), contexts(), deadlines());
    }

    /** Receives with room for every message. */
    static Arbitrary<Step> roomyReceives(int largest) {
        return receives(roomy(largest), contexts(), deadlines());
    }

    /** Those of them in the first context, without a deadline. */
    static Arbitrary<Step> plainReceives(int largest) {
        return receives(roomy(largest), Arbitraries.just(0), Arbitraries.just(Step.Deadline.NONE));
    }

    private static Arbitrary<Integer> roomy(int largest) {
        return Arbitraries.of(largest, largest + 100);
    }

    private static Arbitrary<Step> receives(
            Arbitrary<Integer> sizes,
            Arbitrary<Integer> contexts,
            Arbitrary<Step.Deadline> deadlines) {
        return Combinators.combine(ways(2), sizes, pieces(), contexts, deadlines)
                .as(Step.Receive::new);
    }

    private static Arbitrary<Integer> pieces() {
        return Arbitraries.integers().between(1, 4);
    }

    private static Arbitrary<Integer> contexts() {
        return Arbitraries.of(0, 1);
    }

    private static Arbitrary<Step.Deadline> deadlines() {
        return Arbitraries.frequency(
                Tuple.of(6, Step.Deadline.NONE),
                Tuple.of(2, Step.Deadline.FAR),
                Tuple.of(1, Step.Deadline.SOON),
                Tuple.of(1, Step.Deadline.SOON_IDLE));
    }

    static Arbitrary<Step> cancels() {
        return Arbitraries.integers().between(0, 20).map(Step.Cancel::new);
    }

    /** Classes of unexpected messages. */
    static Arbitrary<Integer> classes() {
        return Arbitraries.of(0, 1, 255);
    }

    static Arbitrary<Step> letters(Arbitrary<Integer> classes) {
        return Combinators.combine(
                        Arbitraries.integers().between(0, CLIENTS - 1),
                        Arbitraries.integers().between(-3, 3),
                        classes,
                        Arbitraries.of(0, 1, 100, 4096))
                .as(Step.Unexpected::new);
    }

    static Arbitrary<Step> takes(Arbitrary<Integer> classes) {
        return Combinators.combine(classes, Arbitraries.integers().between(1, 4))
                .as(Step.Take::new);
    }

    /** Takes of one class or of any. */
    static Arbitrary<Step> takes() {
        return takes(Arbitraries.oneOf(Arbitraries.just(Step.Take.ANY), classes()));
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
