package org.jbmi.testsuite.cases.call;

import org.jbmi.CancelOutcome;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.Amount;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jbmi.testsuite.cases.common.Exchange;
import org.jbmi.testsuite.cases.common.Wakes;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Groups N and O: cancelling. */
public final class CancelCases {
    /** Operations on whose ids a thread guesses. */
    private static final int GUESSED = 1000;

    /** Without LOCAL_SENDS, no send of this size is done before its receive. */
    private static final int BY_GRANT = 16_384;

    /** A stream brings a message of this size in several parts. */
    private static final int IN_PARTS = 4 << 20;

    private CancelCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        list.group('N')
                .add(187, "cancel of what waits", CancelCases::waiting)
                .add(189, "a cancelled operation matches nothing", CancelCases::matchesNothing)
                .add(190, "cancel after completion", CancelCases::afterCompletion)
                .add(323, "cancelled send, then a small receive", CancelCases::smallAfterCancel)
                .add(191, "cancel twice, cancel of nothing", CancelCases::twice)
                .add(192, "cancel races with completion", 60, CancelCases::race)
                .add(
                        194,
                        "cancel of an unexpected send that waits",
                        CancelCases::unexpected,
                        Capability.BOUNDED_UNEXPECTED);
        list.group('O')
                .add(201, "cancel of guessed ids", CancelCases::guessed)
                .add(206, "cancel ends a wait", CancelCases::endsWait);
    }

    private static void waiting(Scene scene, End from, End to) {
        for (int size : new int[] {0, 100, 100_000}) {
            Posted receive = to.receive(scene.buffer(size), 1);
            receive.cancelled();
            if (!scene.can(Capability.LOCAL_SENDS)) {
                Posted send = to.send(scene.buffer(size), 2);
                if (send.wasPending()) {
                    send.cancelled();
                }
            }
            Expect.equal(
                    to.context().testContext(Completions.ofCapacity(1), 10),
                    0,
                    "further completions");
        }
    }

    private static void matchesNothing(Scene scene, End from, End to) {
        MemorySegment untouched = scene.pattern(100, 1);
        Posted cancelled = to.receive(untouched, 1);
        cancelled.cancelled();
        Posted send = from.send(scene.pattern(100, 2), 1);
        MemorySegment in = scene.buffer(100);
        Exchange.check(send, to.receive(in, 1), scene.pattern(100, 2), in);
        Expect.bytes(untouched, scene.pattern(100, 1), "the cancelled receive's buffer");
        receiveInTheMiddle(scene, from, to);
        if (scene.can(Capability.LOCAL_SENDS)) {
            return; // a send is done before it can be cancelled
        }
        sendInTheMiddle(scene, from, to);
        Posted sendCancelled = from.send(untouched, 3);
        sendCancelled.cancelled();
        Posted receive = to.receive(in, 3);
        receive.staysPending();
        Exchange.check(from.send(untouched, 3), receive, scene.pattern(100, 1), in);
    }

    private static void receiveInTheMiddle(Scene scene, End from, End to) {
        MemorySegment[] in = new MemorySegment[3];
        Posted[] receives = new Posted[3];
        for (int i = 0; i < 3; i++) {
            in[i] = scene.pattern(100, 7);
            receives[i] = to.receive(in[i], 5);
        }
        receives[1].cancelled();
        for (int i = 0; i < 3; i += 2) {
            MemorySegment out = scene.pattern(100, i);
            Exchange.check(from.send(out, 5), receives[i], out, in[i]);
        }
        Expect.bytes(in[1], scene.pattern(100, 7), "the buffer of the receive in the middle");
    }

    private static void sendInTheMiddle(Scene scene, End from, End to) {
        MemorySegment[] out = new MemorySegment[3];
        Posted[] sends = new Posted[3];
        for (int i = 0; i < 3; i++) {
            out[i] = scene.pattern(BY_GRANT, i);
            sends[i] = from.send(out[i], 5);
        }
        sends[1].cancelled();
        for (int i = 0; i < 3; i += 2) {
            MemorySegment in = scene.buffer(BY_GRANT);
            Exchange.check(sends[i], to.receive(in, 5), out[i], in);
        }
    }

    private static void smallAfterCancel(Scene scene, End from, End to) {
        if (scene.can(Capability.LOCAL_SENDS)) {
            throw Scene.skip("A send is done before it can be cancelled.");
        }
        Posted send = from.send(scene.pattern(16_384, 1), 1);
        send.cancelled();
        MemorySegment in = scene.buffer(100);
        Posted receive = to.receive(in, 1);
        receive.staysPending();
        MemorySegment out = scene.pattern(100, 2);
        Exchange.check(from.send(out, 1), receive, out, in);
    }

    private static void afterCompletion(Scene scene, End from, End to) {
        MemorySegment in = scene.buffer(10);
        Posted receive = to.receive(in, 1);
        Posted send = from.send(scene.pattern(10, 1), 1);
        Posted other = to.receive(scene.buffer(10), 2);
        send.finishBeside(other);
        CancelOutcome outcome = to.context().cancel(receive.result());
        Expect.that(
                outcome == CancelOutcome.ALREADY_DONE || outcome == CancelOutcome.REQUESTED,
                "a cancel after the fact does nothing: " + outcome);
        receive.succeeds(10);
        Expect.bytes(in, scene.pattern(10, 1), "the bytes");
        other.cancelled();
    }

    private static void twice(Scene scene, End from, End to) {
        Posted receive = to.receive(scene.buffer(10), 1);
        CancelOutcome first = to.context().cancel(receive.result());
        Expect.equal(first, CancelOutcome.CANCELLED, "the first cancel");
        CancelOutcome second = to.context().cancel(receive.result());
        Expect.that(
                second != CancelOutcome.CANCELLED && second != CancelOutcome.UNKNOWN,
                "the second cancel finds it done: " + second);
        receive.fails(ErrorCode.ECANCEL);
        Expect.equal(
                to.context().cancel(receive.result()),
                CancelOutcome.UNKNOWN,
                "a cancel after the report");
        Expect.equal(
                to.context().testContext(Completions.ofCapacity(1), 10), 0, "further completions");
        Posted other = to.receive(scene.buffer(10), 2);
        try (var context = to.bmi().openContext()) {
            Expect.equal(
                    context.cancel(other.result()),
                    CancelOutcome.UNKNOWN,
                    "a cancel in another context");
        }
        other.staysPending();
        other.cancelled();
    }

    private static void race(Scene scene, End from, End to) throws Exception {
        int rounds = scene.amount(Amount.CANCEL_RACES) / 4;
        new CancelRace(scene, from, to, 2000).run(rounds);
        // zoid grants this one, and copies the other ahead
        new CancelRace(scene, from, to, 8000).run(rounds);
        int inParts = (int) Math.min(IN_PARTS, Scene.maxExpected(from));
        new CancelRace(scene, from, to, inParts).run(rounds / 20);
    }

    private static void unexpected(Scene scene) {
        scene.settings(
                EnvironmentSettings.DEFAULT.withUnexpectedMemory(1 << 20).withMaxUnexpected(8192));
        Link link = scene.link();
        End client = link.client();
        int sent = 0;
        Posted waiting = client.sendUnexpected(scene.buffer(8192), sent++, 0);
        while (!waiting.wasPending() || waiting.isDone(100)) {
            waiting.succeeds(8192);
            waiting = client.sendUnexpected(scene.buffer(8192), sent++, 0);
        }
        Posted behind = client.sendUnexpected(scene.buffer(100), sent, 0);
        waiting.cancelled();
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        int[] last = {-1};
        int[] count = new int[1];
        Expect.eventually(
                () -> {
                    boolean done = behind.isDone(0);
                    if (link.server().bmi().testUnexpected(one, 1) == 1) {
                        last[0] = one.tag(0);
                        count[0]++;
                        one.free(0);
                        return false;
                    }
                    return done;
                },
                "the others arrive");
        Expect.equal(last[0], sent, "the tag of the last message");
        Expect.equal(count[0], sent, "how many messages came");
    }

    private static void guessed(Scene scene, Link link) throws Exception {
        End end = link.server();
        Guesses guesses = new Guesses(new long[GUESSED + 1]);
        Posted prey = end.receive(scene.buffer(10), 1);
        guesses.publish(prey.result());
        FutureTask<Set<Long>> guesser =
                scene.inThread("guesser", () -> guesses.run(end, new Random(scene.seed())));
        prey.fails(ErrorCode.ECANCEL);
        List<Long> cancelled = new ArrayList<>();
        cancelled.add(prey.result());
        for (int i = 0; i < GUESSED; i++) {
            Posted receive = end.receive(scene.buffer(8), 1);
            guesses.publish(receive.result());
            Posted send = link.client().send(scene.buffer(8), 1);
            Posted.finish(receive);
            while (receive.error() != 0) {
                receive.fails(ErrorCode.ECANCEL);
                cancelled.add(receive.result());
                Posted next = end.receive(scene.buffer(8), 1);
                next.finishBeside(send);
                receive = next;
            }
            Posted.finish(send);
        }
        guesses.stop();
        // An older id of the same slot must not cancel what is there now.
        cancelled.removeAll(guesser.get());
        Expect.equal(cancelled, List.of(), "cancelled operations whose ids nobody guessed");
    }

    /** Cancels operations whose ids it guesses from earlier ones of the same context. */
    private static final class Guesses {
        /** Slots are used again after some tens of operations: so it meets several generations. */
        private static final int BACK = 256;

        private final long[] ids;
        private final AtomicInteger known = new AtomicInteger();
        private final AtomicBoolean stopped = new AtomicBoolean();

        Guesses(long[] ids) {
            this.ids = ids;
        }

        void publish(long id) {
            ids[known.get()] = id;
            known.incrementAndGet();
        }

        void stop() {
            stopped.set(true);
        }

        /** Returns the ids that hit an operation. */
        Set<Long> run(End end, Random random) {
            Set<Long> hits = new HashSet<>();
            while (!stopped.get() && !Thread.currentThread().isInterrupted()) {
                int last = known.get() - 1;
                long old = ids[Math.max(0, last - random.nextInt(BACK))];
                long guess = random.nextBoolean() ? old : 2 * ids[last] - old;
                CancelOutcome outcome = end.context().cancel(guess);
                // REQUESTED too: of one that was just being posted.
                if (outcome == CancelOutcome.CANCELLED || outcome == CancelOutcome.REQUESTED) {
                    hits.add(guess);
                    LockSupport.parkNanos(1000); // the receives must come on, also when busy
                }
            }
            return hits;
        }
    }

    private static void endsWait(Scene scene, Link link) throws Exception {
        for (End end : new End[] {link.server(), link.client()}) {
            Wakes.expectPrompt(() -> endsWait(scene, end), "the wait for a cancelled operation");
        }
    }

    private static long endsWait(Scene scene, End end) throws Exception {
        Posted receive = end.receive(scene.buffer(10), 1);
        FutureTask<Long> waiter =
                scene.inThread(
                        "waiter",
                        () -> {
                            Completions done = Completions.ofCapacity(1);
                            Expect.equal(
                                    end.context().test(receive.result(), done, 3_600_000),
                                    1,
                                    "the wait");
                            return (long) done.outcome(0).negativeValue();
                        });
        Thread.sleep(50);
        long cancelledNs = System.nanoTime();
        end.context().cancel(receive.result());
        Expect.code(waiter.get(), ErrorCode.ECANCEL, "the code of the cancelled operation");
        return System.nanoTime() - cancelledNs;
    }
}
