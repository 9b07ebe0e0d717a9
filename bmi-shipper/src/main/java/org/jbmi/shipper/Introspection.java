package org.jbmi.shipper;

import org.jbmi.observe.Counter;
import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.codec.Shipped;
import org.jbmi.shipper.pump.Timed;
import org.jbmi.shipper.server.ServerCall;
import org.jbmi.shipper.server.ServerCore;

import java.util.ArrayList;
import java.util.List;

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

    /** Registers them; they are answered at once, before all waiting calls. */
    static void register(ServerCore core) {
        register(
                core,
                UNDER_WAY,
                Codec.of(Question.class),
                Codec.of(Answer.class),
                call -> new Answer(list(core, call.input().most())));
        register(
                core,
                COUNTS,
                Codec.of(CountsQuestion.class),
                Codec.of(CountsAnswer.class),
                call -> new CountsAnswer(counts(core)));
    }

    private static <I, O> void register(
            ServerCore core, String name, Codec<I> in, Codec<O> out, CallHandler<I, O> handler) {
        core.functions().register(new RegisteredFunction<>(name, in, out, handler, null, true));
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
