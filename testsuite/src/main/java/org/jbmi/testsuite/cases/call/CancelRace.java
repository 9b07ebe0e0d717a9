package org.jbmi.testsuite.cases.call;

import org.jbmi.Completions;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.Canceller;
import org.jbmi.testsuite.cases.common.Exchange;

import java.lang.foreign.MemorySegment;

/** Receives of one size, each cancelled while its message comes. */
final class CancelRace {
    private final Scene scene;
    private final End from;
    private final End to;
    private final MemorySegment out;
    private final MemorySegment nextOut;
    private final MemorySegment in;
    private final MemorySegment nextIn;
    private final MemorySegment blank;

    /** What the buffer of a receive had in it when the receive was reported. */
    private final MemorySegment reported;

    CancelRace(Scene scene, End from, End to, int sizeBytes) {
        this.scene = scene;
        this.from = from;
        this.to = to;
        out = scene.pattern(sizeBytes, 1);
        nextOut = scene.pattern(sizeBytes, 2);
        in = scene.buffer(sizeBytes);
        nextIn = scene.buffer(sizeBytes);
        blank = scene.buffer(sizeBytes);
        reported = scene.buffer(sizeBytes);
    }

    void run(int rounds) throws Exception {
        run(rounds / 2, this::testedHere);
        run(rounds / 2, this::testedThere);
    }

    /** Who gets the outcome. Each way has its own canceller: the delays that race differ. */
    @FunctionalInterface
    private interface Way {
        Posted sendTo(Posted receive, Canceller canceller);
    }

    private void run(int rounds, Way way) throws Exception {
        try (var canceller = new Canceller(to.context())) {
            while (canceller.goesOn(rounds)) {
                in.fill((byte) 0);
                Posted receive = to.receive(in, 1);
                Posted send = way.sendTo(receive, canceller);
                if (canceller.hasCancelled(receive)) {
                    expectNoHarm(send);
                    Expect.bytes(in, reported, "the cancelled receive's bytes a message later");
                } else {
                    Exchange.check(send, receive, out, reported);
                }
            }
        }
    }

    /** This thread waits for the operation when the other one cancels it. */
    private Posted testedHere(Posted receive, Canceller canceller) {
        canceller.begin(receive, () -> {});
        Posted send = from.send(out, 1);
        receive.finishBeside(send);
        reported.copyFrom(in);
        return send;
    }

    /** The thread that cancels gets the report, perhaps while this one is reading the message. */
    private Posted testedThere(Posted receive, Canceller canceller) {
        canceller.begin(
                receive,
                () -> {
                    Posted.finish(receive);
                    reported.copyFrom(in);
                });
        Posted send = from.send(out, 1);
        Completions none = Completions.ofCapacity(1);
        try (var driver = to.bmi().openContext()) {
            canceller.await(
                    () -> {
                        driver.testContext(none, 0);
                        send.isDone(0);
                    });
        }
        return send;
    }

    private void expectNoHarm(Posted send) {
        nextIn.fill((byte) 0);
        Posted next = to.receive(nextIn, 1);
        if (scene.can(Capability.LOCAL_SENDS)) {
            expectBeginOrNothing(send, next);
        } else {
            expectNothing(send, next);
        }
    }

    private void expectNothing(Posted send, Posted next) {
        Exchange.check(send, next, out, nextIn);
        Expect.bytes(reported, blank, "the bytes of a receive whose message another one got");
    }

    /**
     * Only a stream may lose the message. Then the cancelled receive has its begin, or nothing. The
     * next receive gets the next message, which comes behind all bytes of the lost one.
     */
    private void expectBeginOrNothing(Posted send, Posted next) {
        Posted nextSend = from.send(nextOut, 1);
        next.finishBeside(send, nextSend);
        if (nextIn.mismatch(nextOut) >= 0) {
            expectNothing(send, next);
            Exchange.check(nextSend, to.receive(nextIn, 1), nextOut, nextIn);
            return;
        }
        Exchange.check(nextSend, next, nextOut, nextIn);
        send.succeeds(out.byteSize());
        long begin = reported.mismatch(out);
        Expect.that(begin >= 0, "a receive with all bytes of its message succeeds");
        Expect.bytes(reported.asSlice(begin), blank.asSlice(begin), "the bytes behind the begin");
    }
}
