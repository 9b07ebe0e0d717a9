package org.jbmi.testsuite.cases.call;

import org.jbmi.CancelOutcome;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PostOptions;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.Amount;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jbmi.testsuite.cases.common.Exchange;
import org.jbmi.testsuite.cases.common.ProcessorTime;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.FutureTask;

/** Group J: the test calls. */
public final class TestingCases {
    private static final long PROMPT_NS = 10_000_000_000L;

    private static final int EARLY_RETURNS = 3;

    private TestingCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        list.group('J')
                .add(129, "an outcome is reported once", TestingCases::once)
                .add(130, "test reports its own id only", TestingCases::ownId)
                .add(131, "testSome packs its results", TestingCases::packed)
                .add(132, "testSome reports ids of no operation", TestingCases::staleAmongPending)
                .add(133, "testSome without ids", TestingCases::noIds)
                .add(134, "testContext with little room", TestingCases::littleRoom)
                .add(135, "testContext without room", TestingCases::noRoom)
                .add(136, "test and testContext race", 60, TestingCases::race)
                .add(138, "early return for an unexpected message", TestingCases::earlyReturn)
                .add(139, "a message without a receive", TestingCases::messageAlone)
                .add(140, "waiting uses no processor", TestingCases::noSpin)
                .add(141, "long wait for what is done", TestingCases::alreadyDone)
                .add(143, "one of many fails", TestingCases::oneFails)
                .add(144, "cancelled and done mixed", TestingCases::mixed)
                .add(146, "everything is cancelled", TestingCases::allCancelled)
                .add(147, "cancelled ones end the wait", TestingCases::cancelledEndWait)
                .add(151, "one of a hundred completes", TestingCases::oneOfHundred)
                .add(310, "only test by id leaves nothing", 180, TestingCases::noResidue)
                .add(311, "wrong arguments of test calls", TestingCases::wrongArguments);
    }

    private static Completions room(int capacity) {
        return Completions.ofCapacity(capacity);
    }

    /** Sends a short message for a tag and sees the send through. */
    private static void send(Scene scene, End from, End to, int tag) {
        Posted send = from.send(scene.pattern(10, tag), tag);
        Expect.eventually(
                () -> {
                    askOnce(to);
                    return send.isDone(1);
                },
                "the message of tag " + tag + " is taken");
    }

    // On some methods a side moves only while it asks; no outcome is taken by this.
    private static void askOnce(End end) {
        end.context().testSome(new long[] {0}, 1, room(1), 0);
    }

    /** Waits until the outcome of an operation is there without taking it. */
    private static void letArrive(Scene scene, End from, End to, int tag) {
        send(scene, from, to, tag);
        // On methods with a daemon the report may still be on its way for a moment.
        to.bmi().testUnexpected(UnexpectedFilter.MAX_CLASS, UnexpectedMessages.ofCapacity(1), 50);
        askOnce(to);
    }

    private static void once(Scene scene, End from, End to) {
        Posted receive = to.receive(scene.buffer(10), 1);
        send(scene, from, to, 1);
        receive.succeeds(10);
        Completions done = room(4);
        CompletionContext context = to.context();
        expectUnknown(context, receive.result(), "what was reported");
        Expect.equal(context.testContext(done, 20), 0, "further completions");
    }

    /** An id of no operation of a context is over for every test call, and says why. */
    static void expectUnknown(CompletionContext context, long id, String what) {
        Completions done = room(4);
        for (long idleMs : new long[] {0, 5000}) {
            Expect.equal(context.test(id, done, idleMs), 1, "results of a test of " + what);
            Expect.equal(done.id(0), id, "the id in its result");
            Expect.equal(done.outcome(0), ErrorCode.EINVAL, "the outcome of " + what);
            if (id != 0) {
                long[] ids = {0, id};
                Expect.equal(context.testSome(ids, 2, done, idleMs), 1, "results of testSome");
                Expect.equal(done.index(0), 1, "the index of " + what);
                Expect.equal(done.id(0), id, "the id in its result");
                Expect.equal(done.outcome(0), ErrorCode.EINVAL, "the outcome of " + what);
                Expect.equal(done.sizeBytes(0), 0L, "its size");
            }
        }
    }

    private static void staleAmongPending(Scene scene, End from, End to) {
        Posted over = to.receive(scene.buffer(10), 1);
        send(scene, from, to, 1);
        over.succeeds(10);
        Posted pending = to.receive(scene.buffer(10), 2);
        long[] ids = {pending.result(), over.result(), 0, 1};
        Completions done = room(4);
        Expect.equal(to.context().testSome(ids, 4, done, 60_000), 2, "results");
        Expect.equal(done.index(0), 1, "the index of what was reported before");
        Expect.equal(done.index(1), 3, "the index of what never was an id");
        for (int k = 0; k < 2; k++) {
            Expect.equal(done.outcome(k), ErrorCode.EINVAL, "the outcome");
            ids[done.index(k)] = 0;
        }
        Expect.equal(to.context().testSome(ids, 4, done, 20), 0, "what is left");
        send(scene, from, to, 2);
        pending.succeeds(10);
    }

    private static int success(CompletionContext context, long id) {
        Completions done = room(1);
        int count = context.test(id, done, 5000);
        return count == 1 && done.outcome(0).isSuccess() ? 1 : 0;
    }

    private static void ownId(Scene scene, End from, End to) {
        Posted one = to.receive(scene.buffer(10), 1);
        Posted two = to.receive(scene.buffer(10), 2);
        letArrive(scene, from, to, 2);
        one.staysPending();
        two.succeeds(10);
        send(scene, from, to, 1);
        one.succeeds(10);
    }

    private static void packed(Scene scene, End from, End to) {
        Object[] data = {"a", "b", "c"};
        long[] ids = new long[3];
        for (int i = 0; i < 3; i++) {
            ids[i] = to.receive(scene.buffer(100), i, data[i], PostOptions.NONE).result();
        }
        letArrive(scene, from, to, 1);
        letArrive(scene, from, to, 2);
        Completions done = room(8);
        Set<Integer> indexes = new HashSet<>();
        Expect.eventually(
                () -> {
                    int count = to.context().testSome(ids, 3, done, 10);
                    for (int k = 0; k < count; k++) {
                        int index = done.index(k);
                        indexes.add(index);
                        Expect.equal(done.id(k), ids[index], "the id of result " + k);
                        Expect.same(done.userData(k), data[index], "its data");
                        Expect.equal(done.sizeBytes(k), 10, "its size");
                        ids[index] = 0;
                    }
                    return indexes.size() == 2;
                },
                "both results come");
        Expect.equal(indexes, Set.of(1, 2), "the indexes");
        Expect.equal(to.context().testSome(ids, 3, done, 10), 0, "further results");
        send(scene, from, to, 0);
        Expect.equal(to.context().testSome(ids, 3, done, 10_000), 1, "the last one");
        Expect.equal(done.index(0), 0, "its index");
    }

    private static void noIds(Scene scene, Link link) {
        CompletionContext context = link.server().context();
        Posted pending = link.server().receive(scene.buffer(10), 1);
        long startNs = System.nanoTime();
        Expect.equal(context.testSome(new long[0], 0, room(1), 0), 0, "results without ids");
        Expect.equal(context.testSome(new long[] {0, 0}, 2, room(1), 10), 0, "results of zeros");
        Expect.equal(context.testSome(new long[] {pending.result()}, 0, room(1), 10), 0, "of none");
        Expect.that(System.nanoTime() - startNs < PROMPT_NS, "none of them hangs");
        pending.cancelled();
    }

    private static void littleRoom(Scene scene, End from, End to) {
        for (int tag = 0; tag < 10; tag++) {
            to.receive(scene.buffer(10), tag);
        }
        for (int tag = 0; tag < 10; tag++) {
            letArrive(scene, from, to, tag);
        }
        Completions done = room(4);
        Set<Long> ids = new HashSet<>();
        for (int expected : new int[] {4, 4, 2}) {
            int count = to.context().testContext(done, 1000);
            Expect.equal(count, expected, "how many come at a time");
            for (int k = 0; k < count; k++) {
                Expect.that(ids.add(done.id(k)), "each comes once");
            }
        }
        Expect.equal(to.context().testContext(done, 0), 0, "further ones");
    }

    private static void noRoom(Scene scene, End from, End to) {
        Posted receive = to.receive(scene.buffer(10), 1);
        letArrive(scene, from, to, 1);
        Expect.equal(to.context().testContext(room(0), 0), 0, "without room");
        Expect.equal(to.context().testContext(room(0), 20_000), 0, "without room");
        receive.succeeds(10);
    }

    private static void race(Scene scene, Link link) throws Exception {
        for (int round = 0; round < scene.amount(Amount.TEST_RACES); round++) {
            Posted receive = link.server().receive(scene.buffer(10), 1);
            CompletionContext context = link.server().context();
            FutureTask<Integer> byId =
                    scene.inThread("by-id", () -> success(context, receive.result()));
            FutureTask<Integer> byContext = null;
            if (round % 2 == 0) {
                byContext = scene.inThread("by-context", () -> context.testContext(room(1), 1));
            }
            send(scene, link.client(), link.server(), 1);
            int reported = byId.get() + (byContext == null ? 0 : byContext.get());
            Expect.equal(reported, 1, "how often the outcome was reported");
        }
    }

    private static void earlyReturn(Scene scene, Link link) throws Exception {
        CompletionContext context = link.server().context();
        for (int round = 0; round < EARLY_RETURNS; round++) {
            FutureTask<Integer> waiter =
                    scene.inThread("waiter", () -> context.testContext(room(1), 3_600_000));
            Thread.sleep(round == 0 ? 100 : 20);
            Expect.that(!waiter.isDone(), "testContext waits");
            Posted send = link.client().sendUnexpected(scene.pattern(10, 1), 1, 0);
            Expect.equal(waiter.get(), 0, "testContext comes back empty-handed");
            if (round == 0) {
                long startNs = System.nanoTime();
                Expect.equal(context.testContext(room(1), 200), 0, "completions");
                Expect.that(
                        System.nanoTime() - startNs > 190_000_000L,
                        "a message that nobody drains does not make it spin");
            }
            scene.receiveUnexpected(link.server().bmi(), send).free(0);
        }
    }

    private static void messageAlone(Scene scene, End from, End to) {
        MemorySegment out = scene.pattern(9, 1);
        Posted send = from.send(out, 1);
        Expect.equal(to.context().testContext(room(4), 20), 0, "completions");
        MemorySegment in = scene.buffer(9);
        Exchange.check(send, to.receive(in, 1), out, in);
    }

    private static void noSpin(Scene scene, Link link) {
        Posted pending = link.server().receive(scene.buffer(10), 1);
        ProcessorTime processor = new ProcessorTime();
        Expect.equal(link.server().context().testContext(room(1), 1000), 0, "completions");
        Expect.equal(
                link.server().bmi().testUnexpected(UnexpectedMessages.ofCapacity(1), 500),
                0,
                "messages");
        Expect.that(!pending.isDone(500), "the receive is pending");
        long usedNs = processor.usedNs();
        Expect.that(usedNs < 100_000_000L, "two seconds of waiting use " + usedNs + " ns");
        pending.cancelled();
    }

    private static void alreadyDone(Scene scene, End from, End to) {
        Posted receive = to.receive(scene.buffer(10), 1);
        letArrive(scene, from, to, 1);
        long startNs = System.nanoTime();
        Expect.that(receive.isDone(60_000), "the outcome is there");
        Expect.that(System.nanoTime() - startNs < PROMPT_NS, "test does not wait");
    }

    private static void oneFails(Scene scene, Link link) {
        Link other = scene.link();
        End server = link.server();
        End toOther = new End(server.bmi(), server.context(), other.server().peer());
        Posted[] posts = new Posted[5];
        for (int tag = 0; tag < 5; tag++) {
            posts[tag] = (tag == 2 ? toOther : server).receive(scene.buffer(10), tag);
        }
        other.client().bmi().close();
        for (int tag : new int[] {0, 1, 3, 4}) {
            send(scene, link.client(), link.server(), tag);
        }
        int failed = 0;
        int succeeded = 0;
        Completions done = room(8);
        while (failed + succeeded < 5) {
            int count = server.context().testContext(done, 10_000);
            Expect.that(count > 0, "the outcomes come");
            for (int k = 0; k < count; k++) {
                boolean isThird = done.id(k) == posts[2].result();
                Expect.equal(!done.outcome(k).isSuccess(), isThird, "whether it failed");
                failed += isThird ? 1 : 0;
                succeeded += isThird ? 0 : 1;
            }
        }
        Expect.equal(failed, 1, "how many failed");
    }

    private static void mixed(Scene scene, End from, End to) {
        long[] ids = new long[6];
        MemorySegment[] in = new MemorySegment[6];
        for (int i = 0; i < 6; i++) {
            in[i] = scene.buffer(10);
            ids[i] = to.receive(in[i], i).result();
        }
        to.context().cancel(ids[1]);
        to.context().cancel(ids[4]);
        Posted third = from.send(scene.pattern(10, 2), 2);
        Posted sixth = from.send(scene.pattern(10, 5), 5);
        Completions done = room(6);
        int[] errors = {1, 1, 1, 1, 1, 1};
        Expect.eventually(
                () -> {
                    third.isDone(0);
                    sixth.isDone(0);
                    int count = to.context().testSome(ids, 6, done, 5);
                    for (int k = 0; k < count; k++) {
                        errors[done.index(k)] = done.outcome(k).negativeValue();
                        ids[done.index(k)] = 0;
                    }
                    return Arrays.stream(errors).filter(e -> e != 1).count() == 4;
                },
                "four operations end");
        int cancelled = ErrorCode.ECANCEL.negativeValue();
        Expect.that(
                Arrays.equals(errors, new int[] {1, cancelled, 0, 1, cancelled, 0}),
                "the outcomes belong to their ids: " + Arrays.toString(errors));
        Expect.bytes(in[2], scene.pattern(10, 2), "the bytes of the third");
        Expect.bytes(in[5], scene.pattern(10, 5), "the bytes of the sixth");
        for (int i : new int[] {0, 3}) {
            new Posted(to.context(), ids[i]).cancelled();
        }
        Posted.finish(third, sixth);
    }

    private static void allCancelled(Scene scene, End from, End to) {
        for (int tag = 0; tag < 3; tag++) {
            to.context().cancel(to.receive(scene.buffer(10), tag).result());
        }
        Completions done = room(8);
        int count = 0;
        while (count < 3) {
            int now = to.context().testContext(done, 10_000);
            Expect.that(now > 0, "cancelled operations are reported");
            for (int k = 0; k < now; k++) {
                Expect.code(done.outcome(k).negativeValue(), ErrorCode.ECANCEL, "the code");
            }
            count += now;
        }
    }

    private static void cancelledEndWait(Scene scene, End from, End to) {
        Posted one = to.receive(scene.buffer(10), 1);
        Posted two = to.receive(scene.buffer(10), 2);
        to.context().cancel(one.result());
        long startNs = System.nanoTime();
        Completions done = room(4);
        Expect.equal(to.context().testContext(done, 20_000), 1, "completions");
        Expect.equal(done.id(0), one.result(), "the cancelled one");
        Expect.that(System.nanoTime() - startNs < PROMPT_NS, "it ends the wait");
        two.cancelled();
    }

    private static void oneOfHundred(Scene scene, End from, End to) {
        Posted[] receives = new Posted[100];
        for (int tag = 0; tag < 100; tag++) {
            receives[tag] = to.receive(scene.buffer(10), tag);
        }
        Posted send = from.send(scene.pattern(10, 77), 77);
        Completions done = room(100);
        Expect.eventually(
                () -> {
                    send.isDone(0);
                    return to.context().testContext(done, 10) == 1;
                },
                "one completes");
        Expect.equal(done.id(0), receives[77].result(), "which one");
        Posted.finish(send);
        for (int tag = 0; tag < 100; tag++) {
            if (tag != 77) {
                receives[tag].cancelled();
            }
        }
    }

    private static void noResidue(Scene scene, End from, End to) {
        MemorySegment out = scene.pattern(10, 1);
        MemorySegment in = scene.buffer(10);
        for (int round = 0; round < scene.amount(Amount.TESTS_BY_ID) / 2; round++) {
            Posted receive = to.receive(in, 1);
            Posted send = from.send(out, 1);
            Posted.finish(send, receive);
        }
        Expect.equal(to.context().testContext(room(1), 0), 0, "completions left");
        Expect.equal(from.context().testContext(room(1), 0), 0, "completions left");
        Expect.equal(Scene.counter(to.bmi(), "bmi.operations"), 0, "operations left");
    }

    private static void wrongArguments(Scene scene, Link link) {
        CompletionContext context = link.client().context();
        for (long id : new long[] {0, -1, 1, 1L << 62, Long.MAX_VALUE, Long.MIN_VALUE}) {
            expectUnknown(context, id, "id " + id);
            Expect.that(
                    context.cancel(id) == CancelOutcome.UNKNOWN,
                    "cancel of id " + id + " finds nothing");
        }
        long[] two = {0, 0};
        refused(() -> context.testSome(two, 3, room(1), 0), "a count beyond the array");
        refused(() -> context.testSome(two, -1, room(1), 0), "a negative count");
        Posted pending = link.client().receive(scene.buffer(10), 1);
        refused(() -> context.test(pending.result(), room(0), 0), "a test without room");
        pending.cancelled();
    }

    private static void refused(Runnable call, String what) {
        Expect.refusal(ErrorCode.EINVAL, call, what);
    }
}
