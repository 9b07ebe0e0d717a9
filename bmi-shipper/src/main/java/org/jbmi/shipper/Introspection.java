package org.jbmi.shipper;

import org.jbmi.observe.Counter;
import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.Shipped;
import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.pump.Timed;
import org.jbmi.shipper.server.Served;
import org.jbmi.shipper.server.ServerCall;
import org.jbmi.shipper.server.ServerCore;
import org.jbmi.shipper.wire.Wire;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * The functions that every server has: they list the calls under way and the counters, even when no
 * handler may run.
 */
final class Introspection {
    /** Names with this prefix are reserved for the library. */
    static final String RESERVED = "shipper.";

    static final String UNDER_WAY = RESERVED + "underWay";
    static final String COUNTS = RESERVED + "counts";
    private static final String COUNTED = "shipper.server.";
    private static final int MOST = 1_000;
    private static final long NS_PER_MS = 1_000_000;

    private Introspection() {}

    /** Asks for the calls under way, at most so many, the oldest first. */
    @Shipped
    record Question(int most) {}

    /** The calls under way, the oldest first. */
    @Shipped
    record Answer(List<CallUnderWay> calls) {}

    /** Asks for the counters. */
    @Shipped
    record CountsQuestion() {}

    /** The counters, in the order in which they were registered. */
    @Shipped
    record CountsAnswer(List<ServerCount> counts) {}

    /** Registers them. */
    static void register(ServerCore core) {
        core.functions()
                .register(
                        new Told<>(
                                core,
                                UNDER_WAY,
                                Codec.of(Question.class),
                                Codec.of(Answer.class),
                                question -> new Answer(list(core, question.most()))));
        core.functions()
                .register(
                        new Told<>(
                                core,
                                COUNTS,
                                Codec.of(CountsQuestion.class),
                                Codec.of(CountsAnswer.class),
                                question -> new CountsAnswer(counts(core))));
    }

    /** A function that is answered at once, before all waiting calls. */
    private record Told<I, O>(
            ServerCore core, String name, Codec<I> input, Codec<O> output, Function<I, O> teller)
            implements Served {
        @Override
        public String signature() {
            return Wire.signature(input.signature(), output.signature());
        }

        @Override
        public long fingerprint() {
            return Wire.hash(signature());
        }

        @Override
        public boolean isImmediate() {
            return true;
        }

        @Override
        public Object read(Decoder in) {
            return input.decode(in);
        }

        @Override
        public @Nullable Outgoing run(ServerCall call) {
            @SuppressWarnings("unchecked") // read by this very codec
            I question = (I) Objects.requireNonNull(call.input());
            return core.answers().write(call, output, teller.apply(question));
        }
    }

    static List<CallUnderWay> list(ServerCore core, int most) {
        List<CallUnderWay> calls = new ArrayList<>();
        long nowNs = core.pump().nowNs();
        for (ServerCall call : core.underWay()) {
            if (calls.size() < Math.min(most, MOST)) {
                long deadlineNs = call.deadlineNs();
                calls.add(
                        new CallUnderWay(
                                call.function().name(),
                                call.session().peer().displayName(),
                                call.reason(),
                                (nowNs - call.startedNs()) / NS_PER_MS,
                                deadlineNs == Timed.NEVER
                                        ? -1
                                        : Math.max(0, (deadlineNs - nowNs) / NS_PER_MS)));
            }
        }
        return calls;
    }

    private static List<ServerCount> counts(ServerCore core) {
        List<ServerCount> counts = new ArrayList<>();
        for (Counter counter : core.pump().bmi().counters().all()) {
            if (counter.spec().label().startsWith(COUNTED)) {
                counts.add(
                        new ServerCount(
                                counter.spec().label(), counter.get(), counter.spec().unit()));
            }
        }
        return counts;
    }
}
