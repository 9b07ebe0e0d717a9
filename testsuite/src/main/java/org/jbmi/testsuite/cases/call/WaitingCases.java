package org.jbmi.testsuite.cases.call;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PostOptions;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.Amount;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jbmi.testsuite.cases.common.Exchange;
import org.jbmi.testsuite.cases.common.Wakes;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;

/** Group K: idle times, deadlines and interrupts. */
public final class WaitingCases {
    private static final long NS_PER_MS = 1_000_000;
    private static final long SLACK_NS = 20_000 * NS_PER_MS;
    private static final long PROMPT_NS = 5 * NS_PER_MS;
    private static final long LATE_NS = 50 * NS_PER_MS;
    private static final int ATTEMPTS = 10;

    private WaitingCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        list.group('K')
                .add(152, "negative idle time", WaitingCases::negative)
                .add(153, "no idle time", WaitingCases::zero)
                .add(154, "idle times are kept", WaitingCases::accuracy)
                .add(155, "huge idle times", WaitingCases::huge)
                .add(157, "interrupt", WaitingCases::interrupt)
                .add(159, "only the affected thread returns", WaitingCases::onlyAffected)
                .add(160, "deadline of an operation", WaitingCases::deadline)
                .add(312, "expired operations match nothing", WaitingCases::expiredMatchesNothing)
                .add(313, "deadlines while others wait", WaitingCases::deadlineWhileWaiting)
                .add(314, "virtual threads wait", WaitingCases::virtualThreads);
    }

    private static Completions room() {
        return Completions.ofCapacity(4);
    }

    private static void negative(Scene scene, Link link) {
        CompletionContext context = link.client().context();
        Bmi bmi = link.server().bmi();
        Posted pending = link.client().receive(scene.buffer(1), 1);
        long[] ids = {pending.result()};
        for (long idle : new long[] {-1, Long.MIN_VALUE}) {
            refused(() -> context.test(ids[0], room(), idle), "test");
            refused(() -> context.testSome(ids, 1, room(), idle), "testSome");
            refused(() -> context.testContext(room(), idle), "testContext");
            refused(
                    () -> bmi.testUnexpected(UnexpectedMessages.ofCapacity(1), idle),
                    "testUnexpected");
            try (UnexpectedListener listener = bmi.openListener(UnexpectedFilter.ofClass(3))) {
                refused(
                        () -> listener.test(UnexpectedMessages.ofCapacity(1), idle),
                        "test of a listener");
            }
        }
        pending.cancelled();
    }

    private static void refused(Runnable call, String what) {
        Expect.refusal(ErrorCode.EINVAL, call, what + " with a negative idle time");
    }

    private static void zero(Scene scene, Link link) {
        CompletionContext context = link.client().context();
        Posted pending = link.client().receive(scene.buffer(1), 1);
        long[] ids = {pending.result()};
        expectPrompt(ms -> context.test(ids[0], room(), ms), "test");
        expectPrompt(ms -> context.testSome(ids, 1, room(), ms), "testSome");
        expectPrompt(ms -> context.testContext(room(), ms), "testContext");
        expectPrompt(
                ms -> link.server().bmi().testUnexpected(UnexpectedMessages.ofCapacity(1), ms),
                "testUnexpected");
        try (UnexpectedListener listener = listener(link)) {
            expectPrompt(
                    ms -> listener.test(UnexpectedMessages.ofCapacity(1), ms),
                    "test of a listener");
        }
        pending.cancelled();
    }

    private static UnexpectedListener listener(Link link) {
        return link.server().bmi().openListener(UnexpectedFilter.ofClass(3));
    }

    /** Nine of ten calls: the system may take the processor away in any of them. */
    private static void expectPrompt(Wait wait, String what) {
        long[] tookNs = new long[200];
        for (int i = 0; i < tookNs.length; i++) {
            long startNs = System.nanoTime();
            Expect.equal(wait.idle(0), 0, "what " + what + " finds");
            tookNs[i] = System.nanoTime() - startNs;
        }
        Arrays.sort(tookNs);
        long most = tookNs[tookNs.length * 9 / 10];
        Expect.that(most < PROMPT_NS, what + " without idle time takes " + most + " ns");
    }

    private interface Wait {
        int idle(long idleMs);
    }

    private static void accuracy(Scene scene, Link link) {
        CompletionContext context = link.client().context();
        Bmi server = link.server().bmi();
        Posted pending = link.client().receive(scene.buffer(1), 1);
        long[] ids = {pending.result()};
        for (long idle : new long[] {1, 100, scene.amount(Amount.LONG_WAIT_MS)}) {
            expectWait(ms -> context.test(ids[0], room(), ms), idle, "test");
            expectWait(ms -> context.testSome(ids, 1, room(), ms), idle, "testSome");
            expectWait(ms -> context.testContext(room(), ms), idle, "testContext");
            expectWait(
                    ms -> server.testUnexpected(UnexpectedMessages.ofCapacity(1), ms),
                    idle,
                    "testUnexpected");
        }
        try (UnexpectedListener listener = listener(link)) {
            expectWait(
                    ms -> listener.test(UnexpectedMessages.ofCapacity(1), ms),
                    100,
                    "test of a listener");
        }
        pending.cancelled();
    }

    /** Never too short; one wait of some must end in time, since the machine may be busy. */
    private static void expectWait(Wait wait, long idleMs, String what) {
        long tookNs = Long.MAX_VALUE;
        for (int i = 0; i < ATTEMPTS && tookNs > idleMs * NS_PER_MS + LATE_NS; i++) {
            long startNs = System.nanoTime();
            Expect.equal(wait.idle(idleMs), 0, "what " + what + " finds");
            tookNs = System.nanoTime() - startNs;
            Expect.that(
                    tookNs >= idleMs * NS_PER_MS - NS_PER_MS,
                    what + " waits " + idleMs + " ms, not " + tookNs + " ns");
        }
        Expect.that(
                tookNs <= idleMs * NS_PER_MS + LATE_NS,
                what + " waits at most 50 ms more than " + idleMs + " ms: " + tookNs + " ns");
    }

    private static void huge(Scene scene, Link link) throws Exception {
        for (long idle : new long[] {3_600_000, Integer.MAX_VALUE, Long.MAX_VALUE}) {
            for (End end : new End[] {link.server(), link.client()}) {
                Posted receive = end.receive(scene.buffer(10), 1);
                FutureTask<Integer> waiter =
                        scene.inThread(
                                "waiter", () -> end.context().test(receive.result(), room(), idle));
                Thread.sleep(30);
                Expect.that(!waiter.isDone(), "a wait of " + idle + " ms waits");
                End from = other(link, end);
                Posted.finish(from.send(scene.pattern(10, 1), 1));
                Expect.equal(waiter.get(), 1, "what the wait reports");
            }
        }
    }

    private static void interrupt(Scene scene, Link link) throws Exception {
        CompletionContext context = link.client().context();
        Posted pending = link.client().receive(scene.buffer(10), 1);
        UnexpectedListener listener = listener(link);
        List<Wait> waits =
                List.of(
                        ms -> listener.test(UnexpectedMessages.ofCapacity(1), ms),
                        ms -> context.test(pending.result(), room(), ms),
                        ms -> context.testSome(new long[] {pending.result()}, 1, room(), ms),
                        ms -> context.testContext(room(), ms),
                        ms ->
                                link.server()
                                        .bmi()
                                        .testUnexpected(UnexpectedMessages.ofCapacity(1), ms));
        for (Wait wait : waits) {
            CompletableFuture<Thread> waiting = new CompletableFuture<>();
            FutureTask<Boolean> task =
                    scene.inThread(
                            "waiter",
                            () -> {
                                waiting.complete(Thread.currentThread());
                                Expect.equal(wait.idle(3_600_000), 0, "an interrupted wait");
                                return Thread.interrupted();
                            });
            Thread waitingThread = waiting.get();
            Thread.sleep(50); // so that it mostly waits already
            waitingThread.interrupt();
            Expect.that(task.get(), "the thread is still interrupted after the wait");
        }
        listener.close();
        Posted.finish(link.server().send(scene.pattern(10, 1), 1), pending);
        pending.succeeds(10);
    }

    private static void onlyAffected(Scene scene, Link link) throws Exception {
        for (End end : new End[] {link.server(), link.client()}) {
            List<FutureTask<Integer>> waiters = new ArrayList<>();
            for (int tag = 0; tag < 8; tag++) {
                Posted receive = end.receive(scene.buffer(10), tag);
                waiters.add(
                        scene.inThread(
                                "waiter-" + tag,
                                () -> end.context().test(receive.result(), room(), 20_000)));
            }
            End from = other(link, end);
            for (int tag : new int[] {5, 0, 7, 3, 1, 6, 2, 4}) {
                Posted.finish(from.send(scene.pattern(10, tag), tag));
                Expect.equal(waiters.get(tag).get(), 1, "what waiter " + tag + " reports");
                int running = 0;
                for (FutureTask<Integer> waiter : waiters) {
                    running += waiter.isDone() ? 0 : 1;
                }
                Expect.that(tag == 4 ? running == 0 : running > 0, "the others still wait");
            }
        }
    }

    private static void deadline(Scene scene, End from, End to) {
        for (PostOptions options :
                List.of(
                        PostOptions.NONE.withDeadlineMs(200),
                        PostOptions.NONE.withIdleDeadlineMs(200))) {
            MemorySegment in = scene.pattern(10, 3);
            long startNs = System.nanoTime();
            Posted receive = to.receive(in, 1, null, options);
            Posted send = to.send(in, 2, null, options);
            Posted.finish(receive, send);
            long tookNs = System.nanoTime() - startNs;
            receive.fails(ErrorCode.ETIMEDOUT);
            if (scene.can(Capability.LOCAL_SENDS)) {
                send.succeeds(10);
                MemorySegment sent = scene.buffer(10);
                Exchange.check(send, from.receive(sent, 2), in, sent);
            } else {
                send.fails(ErrorCode.ETIMEDOUT);
            }
            Expect.that(tookNs >= 190 * NS_PER_MS, "not before its time: " + tookNs);
            Expect.that(tookNs < 200 * NS_PER_MS + SLACK_NS, "soon after: " + tookNs);
            MemorySegment out = scene.pattern(10, 4);
            MemorySegment late = scene.buffer(10);
            Posted second = from.send(out, 1);
            Exchange.check(second, to.receive(late, 1), out, late);
            Expect.bytes(in, scene.pattern(10, 3), "the buffer of the expired receive");
        }
    }

    private static void expiredMatchesNothing(Scene scene, End from, End to) throws Exception {
        PostOptions soon = PostOptions.NONE.withDeadlineMs(20);
        MemorySegment untouched = scene.pattern(10, 5);
        Posted expired = to.receive(untouched, 1, null, soon);
        // Nobody tests meanwhile: the operation must not match although it still stands there.
        Thread.sleep(60);
        MemorySegment out = scene.pattern(10, 6);
        MemorySegment in = scene.buffer(10);
        Posted send = from.send(out, 1);
        Posted receive = to.receive(in, 1);
        Exchange.check(send, receive, out, in);
        expired.fails(ErrorCode.ETIMEDOUT);
        Expect.bytes(untouched, scene.pattern(10, 5), "the expired receive's buffer");
        if (scene.can(Capability.LOCAL_SENDS)) {
            return; // a send is done before its time is over
        }
        Posted expiredSend = from.send(untouched, 2, null, soon);
        Thread.sleep(60);
        receive = to.receive(in, 2);
        receive.staysPending();
        expiredSend.fails(ErrorCode.ETIMEDOUT);
        Exchange.check(from.send(out, 2), receive, out, in);
    }

    private static void deadlineWhileWaiting(Scene scene) throws Exception {
        End end = scene.link().server();
        Wakes.expectPrompt(() -> lateness(scene, end), "the wait of a thread with a new deadline");
    }

    private static long lateness(Scene scene, End end) throws Exception {
        Completions done = Completions.ofCapacity(1);
        FutureTask<Integer> waiter =
                scene.inThread("waiter", () -> end.context().testContext(done, 20_000));
        Thread.sleep(50);
        long postedNs = System.nanoTime();
        Posted receive =
                end.receive(scene.buffer(10), 1, null, PostOptions.NONE.withDeadlineMs(100));
        Expect.equal(waiter.get(), 1, "a deadline that comes while another thread sleeps");
        long lateNs = System.nanoTime() - postedNs - 100 * NS_PER_MS;
        receive.takeFrom(done, 0);
        receive.fails(ErrorCode.ETIMEDOUT);
        return lateNs;
    }

    private static void virtualThreads(Scene scene, Link link) throws Exception {
        for (End end : new End[] {link.server(), link.client()}) {
            Wakes.expectPrompt(
                    () -> timeToWake(scene, other(link, end), end), "waits of virtual threads");
        }
    }

    private static long timeToWake(Scene scene, End from, End to) throws Exception {
        List<FutureTask<Boolean>> tasks = new ArrayList<>();
        MemorySegment[] in = new MemorySegment[50];
        Posted[] receives = new Posted[50];
        for (int tag = 0; tag < 50; tag++) {
            in[tag] = scene.buffer(10);
            Posted receive = to.receive(in[tag], tag);
            receives[tag] = receive;
            FutureTask<Boolean> task = new FutureTask<>(() -> receive.isDone(20_000));
            tasks.add(task);
            Thread.ofVirtual().name("virtual-" + tag).start(task);
        }
        long latestNs = 0;
        for (int tag = 0; tag < 50; tag++) {
            MemorySegment out = scene.pattern(10, tag);
            long startNs = System.nanoTime();
            Posted.finish(from.send(out, tag));
            Expect.that(tasks.get(tag).get(), "a virtual thread has its outcome");
            latestNs = Math.max(latestNs, System.nanoTime() - startNs);
        }
        for (int tag = 0; tag < 50; tag++) {
            receives[tag].succeeds(10);
            Expect.bytes(in[tag], scene.pattern(10, tag), "what a virtual thread received");
        }
        return latestNs;
    }

    private static End other(Link link, End end) {
        return end.equals(link.server()) ? link.client() : link.server();
    }
}
