package org.jbmi.testsuite.cases.call;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jbmi.testsuite.cases.common.Exchange;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Group C: contexts. */
public final class ContextCases {
    private static final int MOST = 16;

    private ContextCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        list.group('C')
                .add(33, "open and close", ContextCases::openClose)
                .add(34, "one context too many", ContextCases::oneTooMany)
                .add(35, "contexts are isolated", ContextCases::isolation)
                .add(37, "test in the wrong context", ContextCases::wrongContext)
                .add(38, "close with pending operations", ContextCases::closeWithPending);
    }

    private static void openClose(Scene scene) {
        Bmi bmi = scene.newClient();
        for (int i = 0; i < 100; i++) {
            CompletionContext one = bmi.openContext();
            CompletionContext two = bmi.openContext();
            Expect.that(!one.equals(two), "two open contexts differ");
            one.close();
            two.close();
            two.close();
            Expect.refusal(
                    ErrorCode.EINVAL,
                    () -> one.testContext(Completions.ofCapacity(1), 0),
                    "a test of a closed context");
        }
    }

    private static void oneTooMany(Scene scene) {
        Bmi bmi = scene.newClient();
        List<CompletionContext> open = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            open.add(bmi.openContext());
        }
        Expect.refusal(ErrorCode.EBUSY, bmi::openContext, "context " + (MOST + 1));
        open.removeLast().close();
        open.add(bmi.openContext());
        Expect.refusal(ErrorCode.EBUSY, bmi::openContext, "context " + (MOST + 1));
        open.forEach(CompletionContext::close);
    }

    private static void isolation(Scene scene, End from, End to) {
        CompletionContext other = to.bmi().openContext();
        End second = new End(to.bmi(), other, to.peer());
        MemorySegment in = scene.buffer(10);
        Posted mine = to.receive(in, 1);
        Posted theirs = second.receive(scene.buffer(10), 2);
        Posted send = from.send(scene.pattern(10, 1), 2);
        Completions done = Completions.ofCapacity(4);
        finishWhileAsking(send, to, done);
        Expect.equal(to.context().testContext(done, 50), 0, "completions of the first context");
        Expect.eventually(
                () -> other.testContext(done, 10) == 1, "the second context reports its own");
        Expect.equal(done.id(0), theirs.result(), "the operation of the second context");
        Expect.equal(done.outcome(0), ErrorCode.SUCCESS, "its error code");
        MemorySegment out = scene.pattern(10, 3);
        Exchange.check(from.send(out, 1), mine, out, in);
        other.close();
    }

    // The receiver asks too, through its first context, since on some methods it moves only then.
    private static void finishWhileAsking(Posted send, End receiver, Completions done) {
        Expect.eventually(
                () -> {
                    int reported = receiver.context().testContext(done, 5);
                    Expect.equal(reported, 0, "completions of the first context");
                    return send.isDone(5);
                },
                "the send completes");
    }

    private static void wrongContext(Scene scene, End from, End to) {
        Posted receive = to.receive(scene.buffer(10), 1);
        try (CompletionContext other = to.bmi().openContext()) {
            TestingCases.expectUnknown(other, receive.result(), "another context's operation");
        }
        Posted.finish(from.send(scene.pattern(5, 1), 1), receive);
        receive.succeeds(5);
    }

    private static void closeWithPending(Scene scene, End from, End to) {
        End closing = new End(to.bmi(), to.peer());
        MemorySegment untouched = scene.pattern(10, 9);
        closing.receive(untouched, 1);
        closing.receive(scene.buffer(10), 2);
        closing.send(scene.buffer(10), 3);
        Posted first = from.send(scene.pattern(10, 2), 2);
        finishWhileAsking(first, to, Completions.ofCapacity(4));
        closing.context().close();
        Posted send = from.send(scene.pattern(10, 1), 1);
        MemorySegment in = scene.buffer(10);
        Exchange.check(send, to.receive(in, 1), scene.pattern(10, 1), in);
        Expect.bytes(untouched, scene.pattern(10, 9), "the buffer of the closed one");
        Posted none = from.receive(scene.buffer(10), 3);
        if (scene.can(Capability.LOCAL_SENDS)) {
            Posted.finish(none); // the message was on its way
            none.succeeds(10);
        } else {
            none.staysPending();
            none.cancelled();
        }
    }
}
