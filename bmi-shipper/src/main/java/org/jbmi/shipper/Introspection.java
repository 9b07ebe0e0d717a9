package org.jbmi.shipper;

import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.Shipped;
import org.jbmi.shipper.pump.Timed;
import org.jbmi.shipper.server.Served;
import org.jbmi.shipper.server.ServerCall;
import org.jbmi.shipper.server.ServerCore;
import org.jbmi.shipper.wire.Wire;

import java.util.ArrayList;
import java.util.List;

/**
 * The one function that every server has: it tells what is under way, also when no handler may run.
 */
final class Introspection implements Served {
    /** Names that begin so are the library's own. */
    static final String RESERVED = "shipper.";

    static final String NAME = RESERVED + "underWay";
    private static final int MOST = 1_000;
    private static final long NS_PER_MS = 1_000_000;

    private final ServerCore core;

    /**
     * How many calls are wanted.
     *
     * @param most the oldest so many
     */
    @Shipped
    record Question(int most) {}

    /**
     * What is under way.
     *
     * @param calls oldest first
     */
    @Shipped
    record Answer(List<CallUnderWay> calls) {}

    Introspection(ServerCore core) {
        this.core = core;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String signature() {
        return Wire.signature(
                Codec.of(Question.class).signature(), Codec.of(Answer.class).signature());
    }

    @Override
    public boolean isImmediate() {
        return true;
    }

    @Override
    public Object read(Decoder in) {
        return Codec.of(Question.class).decode(in);
    }

    @Override
    public void run(ServerCall call) {
        int most = call.input() instanceof Question question ? question.most() : 0;
        core.answers().answer(call, Codec.of(Answer.class), new Answer(list(core, most)));
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
                                core.reason(call),
                                (nowNs - call.startedNs()) / NS_PER_MS,
                                deadlineNs == Timed.NEVER
                                        ? -1
                                        : Math.max(0, (deadlineNs - nowNs) / NS_PER_MS)));
            }
        }
        return calls;
    }
}
