package org.jbmi.testsuite.cases.call;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jbmi.testsuite.cases.common.Exchange;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.FutureTask;

/** Test calls that nothing may hold up: interrupts, threads beside (groups K, Q). */
public final class ProgressCases {
    private static final int LONG_MS = 20_000;
    private static final long PROMPT_NS = 10_000_000_000L;

    private ProgressCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        list.group('K').add(325, "an interrupted thread goes on", ProgressCases::interrupted);
        list.group('Q')
                .add(324, "a thread posts while another one waits", ProgressCases::postBeside);
    }

    private static void postBeside(Scene scene, End from, End to) throws Exception {
        MemorySegment in = scene.buffer(2000);
        Posted waitedFor = to.receive(in, 1);
        FutureTask<Boolean> waiter = scene.inThread("waiter", () -> waitedFor.isDone(LONG_MS));
        for (int i = 0; i < 50; i++) {
            Exchange.bothOrders(scene, from, to, 100);
            Exchange.bothOrders(scene, to, from, 100);
        }
        Expect.that(!waiter.isDone(), "the other thread still waits");
        MemorySegment out = scene.pattern(2000, 2);
        Posted send = from.send(out, 1);
        Expect.that(waiter.get(), "the waiting thread has its outcome");
        Exchange.check(send, waitedFor, out, in);
    }

    /** One call that asks; returns how many outcomes, or messages, it reports. */
    private interface Ask {
        int ask(long id, Completions done);
    }

    /** Only the interrupted thread asks on its side: what it gets came by its own rounds. */
    private static void interrupted(Scene scene, Link link) throws Exception {
        link.bothWays(
                (from, to) -> {
                    CompletionContext context = to.context();
                    List<Ask> asks =
                            List.of(
                                    (id, done) -> context.test(id, done, LONG_MS),
                                    (id, done) ->
                                            context.testSome(new long[] {id}, 1, done, LONG_MS),
                                    (id, done) -> context.testContext(done, LONG_MS));
                    for (Ask ask : asks) {
                        receivesInterrupted(scene, from, to, ask);
                    }
                });
        messageForInterrupted(scene, link);
    }

    private static void receivesInterrupted(Scene scene, End from, End to, Ask ask)
            throws Exception {
        MemorySegment out = scene.pattern(5000, 1);
        MemorySegment in = scene.buffer(5000);
        Posted receive = to.receive(in, 1);
        FutureTask<Completions> asking =
                scene.inThread("interrupted", () -> untilOver(ask, receive.result()));
        Posted send = from.send(out, 1);
        drive(send, asking);
        receive.takeFrom(asking.get(), 0);
        Exchange.check(send, receive, out, in);
    }

    private static void messageForInterrupted(Scene scene, Link link) throws Exception {
        Bmi server = link.server().bmi();
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        FutureTask<Completions> asking =
                scene.inThread(
                        "interrupted",
                        () -> untilOver((id, done) -> server.testUnexpected(one, LONG_MS), 0));
        MemorySegment out = scene.pattern(1000, 3);
        Posted send = link.client().sendUnexpected(out, 7, 0);
        drive(send, asking);
        asking.get();
        Expect.bytes(one.payload(0), out, "the message");
        one.free(0);
        send.succeeds(1000);
    }

    private static void drive(Posted send, FutureTask<Completions> asking) {
        Expect.eventually(
                () -> {
                    send.isDone(1);
                    return asking.isDone();
                },
                "an interrupted thread gets its outcome");
    }

    private static Completions untilOver(Ask ask, long id) {
        Completions done = Completions.ofCapacity(1);
        long startNs = System.nanoTime();
        int calls = 1;
        Thread.currentThread().interrupt();
        while (ask.ask(id, done) == 0) {
            Expect.that(Thread.currentThread().isInterrupted(), "the thread keeps its flag");
            Expect.that(
                    System.nanoTime() - startNs < PROMPT_NS,
                    "it has its outcome in time, not after " + calls + " calls");
            calls++;
        }
        Expect.that(Thread.interrupted(), "the thread keeps its flag");
        return done;
    }
}
