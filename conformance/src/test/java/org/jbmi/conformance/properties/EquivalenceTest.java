package org.jbmi.conformance.properties;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.state.Action;
import net.jqwik.api.state.ActionChain;
import net.jqwik.api.state.ActionChainArbitrary;
import net.jqwik.api.state.Transformer;

import org.jbmi.conformance.LoopbackFixture;
import org.jbmi.conformance.TcpStandaloneFixture;
import org.jbmi.conformance.ZoidDaemonFixture;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.MethodFixture;
import org.jbmi.testsuite.model.Step;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A random program ends as the model says, in the same contents and the same outcomes, on every
 * method. A failure prints the seed and the shortest program found; {@code @Property(seed = ...)}
 * plays it again.
 */
class EquivalenceTest {
    private static final int STEPS = 40;
    private static final long POOL_BYTES = 2L << 20;

    private final List<Theatre> open = new ArrayList<>();

    @AfterTry
    void close() {
        List<Theatre> closing = List.copyOf(open);
        open.clear();
        closing.forEach(Theatre::close);
    }

    private Theatre theatre(EnvironmentSettings settings, MethodFixture... fixtures) {
        Theatre theatre = new Theatre(List.of(fixtures), settings);
        open.add(theatre);
        return theatre;
    }

    /** A step that can be taken in any state. */
    private record Taking(Arbitrary<Step> steps) implements Action.Independent<Theatre> {
        @Override
        public Arbitrary<Transformer<Theatre>> transformer() {
            return steps.map(
                    step -> Transformer.mutate(step.toString(), theatre -> theatre.play(step)));
        }
    }

    /** Receives of all sizes; sends are not cancelled, for the reason that excludes case 323. */
    @Provide
    Arbitrary<ActionChain<Theatre>> onLoopbackAndZoid() {
        return with(
                chain(
                        () ->
                                theatre(
                                                EnvironmentSettings.DEFAULT,
                                                new LoopbackFixture(),
                                                new ZoidDaemonFixture())
                                        .withoutCancelOfSends(),
                        Programs.sends(70_000)),
                Programs.receives(70_000));
    }

    /** On tcp a message may still be on its way when its receive is posted: all have room. */
    @Provide
    Arbitrary<ActionChain<Theatre>> onAllMethods() {
        return with(
                chain(
                        () ->
                                theatre(
                                        EnvironmentSettings.DEFAULT,
                                        new LoopbackFixture(),
                                        new ZoidDaemonFixture(),
                                        new TcpStandaloneFixture()),
                        Programs.sends(16_385)),
                Programs.roomyReceives(16_385));
    }

    /**
     * A receive that waits for memory is not refused at its post: all have room. Half of the
     * programs have no deadlines and one context: these find a wrong order soon.
     */
    @Provide
    Arbitrary<ActionChain<Theatre>> withoutMemory() {
        return Arbitraries.oneOf(
                littleMemory(Programs.plainSends(300_000), Programs.plainReceives(300_000)),
                littleMemory(Programs.sends(300_000), Programs.roomyReceives(300_000)));
    }

    private Arbitrary<ActionChain<Theatre>> littleMemory(
            Arbitrary<Step> sends, Arbitrary<Step> receives) {
        EnvironmentSettings small = EnvironmentSettings.DEFAULT.withPool(POOL_BYTES);
        return with(
                chain(
                        () ->
                                theatre(small, new LoopbackFixture(), new ZoidDaemonFixture())
                                        .withShortMemory(),
                        sends),
                receives);
    }

    private static ActionChainArbitrary<Theatre> chain(
            Supplier<Theatre> start, Arbitrary<Step> sends) {
        return ActionChain.startWith(start)
                .withAction(8, new Taking(sends))
                .withAction(5, new Taking(Programs.cancels()))
                .withAction(3, new Taking(Programs.letters(Programs.classes())))
                .withAction(2, new Taking(Programs.takes()))
                .withAction(2, new Taking(Programs.looks()))
                .withAction(3, new Taking(Programs.allocations()))
                .withAction(2, new Taking(Programs.frees()));
    }

    private static ActionChainArbitrary<Theatre> with(
            ActionChainArbitrary<Theatre> chain, Arbitrary<Step> receives) {
        return chain.withAction(8, new Taking(receives)).withMaxTransformations(STEPS);
    }

    @Property(shrinking = ShrinkingMode.BOUNDED)
    void loopbackAndZoidDoTheSame(@ForAll("onLoopbackAndZoid") ActionChain<Theatre> program) {
        program.run().finish();
    }

    @Property(shrinking = ShrinkingMode.BOUNDED)
    void allMethodsDoTheSame(@ForAll("onAllMethods") ActionChain<Theatre> program) {
        program.run().finish();
    }

    @Property(shrinking = ShrinkingMode.BOUNDED)
    void whoWaitsForMemoryEndsTheSame(@ForAll("withoutMemory") ActionChain<Theatre> program) {
        program.run().finish();
    }
}
