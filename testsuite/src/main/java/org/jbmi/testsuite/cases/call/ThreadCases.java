package org.jbmi.testsuite.cases.call;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.Amount;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.ConformanceFailure;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Group Q: many threads, and what belongs to immediate completion (group L). */
public final class ThreadCases {
    /** What the posters of a poller have pending or unreported together; an instance has bounds. */
    private static final int MOST_PENDING = 4096;

    private static final int SENDERS = 4;
    private static final int TAKERS = 2;
    private static final int UNEXPECTED_BYTES = 200;
    private static final long SILENCE_NS = 20_000_000_000L;

    private ThreadCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        list.group('L')
                .add(164, "nothing posted on the other side", ThreadCases::notImmediate)
                .add(172, "what was done at once is never reported", ThreadCases::neverReported);
        list.group('Q')
                .add(222, "posters and a poller", 60, ThreadCases::postersAndPoller)
                .add(223, "testUnexpected and testContext at once", 60, ThreadCases::bothTests)
                .add(224, "one client, many threads", 60, ThreadCases::manyThreads)
                .add(226, "a poller for each of many contexts", 60, ThreadCases::manyContexts)
                .add(336, "many threads, unexpected messages", 60, ThreadCases::unexpected);
    }

    private static void notImmediate(Scene scene, Link link) {
        Posted receive = link.client().receive(scene.buffer(10), 2);
        receive.staysPending();
        if (!scene.can(Capability.LOCAL_SENDS)) {
            Posted send = link.client().send(scene.buffer(100_000), 1);
            send.staysPending();
            send.cancelled();
        }
        receive.cancelled();
    }

    private static void neverReported(Scene scene, End from, End to) {
        int atOnce = 0;
        for (int i = 0; i < 100; i++) {
            Posted receive = to.receive(scene.buffer(10), 1);
            Posted send = from.send(scene.pattern(10, i), 1);
            atOnce += send.wasPending() ? 0 : 1;
            Posted.finish(send, receive);
        }
        Completions done = Completions.ofCapacity(1);
        Expect.equal(from.context().testContext(done, 20), 0, "of " + atOnce);
        Expect.equal(to.context().testContext(done, 20), 0, "completions left");
    }

    private static void postersAndPoller(Scene scene, Link link) throws Exception {
        int posters = 16;
        int rounds = scene.amount(Amount.POSTS) / posters;
        AtomicIntegerArray seen = new AtomicIntegerArray(posters * rounds);
        AtomicInteger reported = new AtomicInteger();
        Semaphore room = new Semaphore(MOST_PENDING);
        CompletionContext context = link.server().context();
        FutureTask<Integer> poller =
                scene.inThread(
                        "poller",
                        () -> {
                            Completions done = Completions.ofCapacity(16);
                            while (reported.get() < posters * rounds) {
                                int count = context.testContext(done, 1000);
                                for (int k = 0; k < count; k++) {
                                    Expect.equal(
                                            done.outcome(k), ErrorCode.SUCCESS, "the error code");
                                    seen.incrementAndGet(number(done.userData(k)));
                                    reported.incrementAndGet();
                                    room.release();
                                }
                            }
                            return 0;
                        });
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        for (int p = 0; p < posters; p++) {
            int poster = p;
            tasks.add(
                    scene.inThread(
                            "receiver-" + p,
                            () ->
                                    post(
                                            scene,
                                            link.server(),
                                            poster,
                                            rounds,
                                            seen,
                                            reported,
                                            room)));
            tasks.add(
                    scene.inThread(
                            "sender-" + p, () -> send(scene, link.client(), poster, rounds)));
        }
        for (FutureTask<Integer> task : tasks) {
            task.get();
        }
        poller.get();
        for (int i = 0; i < posters * rounds; i++) {
            Expect.equal(seen.get(i), 1, "reports of operation " + i);
        }
    }

    private static int number(@Nullable Object data) {
        if (data instanceof Integer number) {
            return number;
        }
        throw new ConformanceFailure("The user data is " + data + ".");
    }

    private static int post(
            Scene scene,
            End end,
            int poster,
            int rounds,
            AtomicIntegerArray seen,
            AtomicInteger reported,
            Semaphore room)
            throws InterruptedException {
        MemorySegment memory = scene.buffer(8L * rounds);
        for (int round = 0; round < rounds; round++) {
            int number = poster * rounds + round;
            MemorySegment part = memory.asSlice(8L * round, 8);
            room.acquire();
            long result =
                    end.context().postReceive(end.peer(), part, poster, number, PostOptions.NONE);
            if (PostResult.isRefused(result)) {
                throw new ConformanceFailure(
                        "The post of operation %d is refused with %s."
                                .formatted(number, ErrorCode.of(result)));
            }
            if (!PostResult.isPending(result)) {
                seen.incrementAndGet(number);
                reported.incrementAndGet();
                room.release();
            }
        }
        return rounds;
    }

    private static int send(Scene scene, End end, int poster, int rounds) {
        MemorySegment memory = scene.buffer(8);
        for (int round = 0; round < rounds; round++) {
            memory.set(ValueLayout.JAVA_INT, 0, round);
            Posted.finish(end.send(memory, poster));
        }
        return rounds;
    }

    private static void takeFrom(CompletionContext context, Posted receive) {
        Completions done = Completions.ofCapacity(1);
        Expect.eventually(() -> context.testContext(done, 1000) == 1, "receives complete");
        Expect.that(receive.isReportedBy(context, done.id(0)), "it is the receive that completes");
        receive.takeFrom(done, 0);
    }

    private static void bothTests(Scene scene, Link link) throws Exception {
        End server = link.server();
        int rounds = 1000;
        FutureTask<Integer> unexpected =
                scene.inThread(
                        "unexpected",
                        () -> {
                            UnexpectedMessages some = UnexpectedMessages.ofCapacity(4);
                            int got = 0;
                            while (got < rounds) {
                                int count = server.bmi().testUnexpected(some, 10_000);
                                Expect.that(count > 0, "messages come");
                                for (int k = 0; k < count; k++) {
                                    Expect.equal(some.tag(k), got++, "the tag of a message");
                                    some.free(k);
                                }
                            }
                            return got;
                        });
        FutureTask<Integer> expected =
                scene.inThread(
                        "expected",
                        () -> {
                            MemorySegment in = scene.buffer(8);
                            for (int got = 0; got < rounds; got++) {
                                Posted receive = server.receive(in, 1);
                                if (receive.wasPending()) {
                                    takeFrom(server.context(), receive);
                                }
                                receive.succeeds(8);
                                Expect.equal(
                                        in.get(ValueLayout.JAVA_INT, 0),
                                        got,
                                        "the message's number");
                            }
                            return rounds;
                        });
        MemorySegment out = scene.buffer(8);
        for (int round = 0; round < rounds; round++) {
            out.set(ValueLayout.JAVA_INT, 0, round);
            Posted.finish(link.client().sendUnexpected(out, round, 0), link.client().send(out, 1));
        }
        Expect.equal(unexpected.get(), rounds, "unexpected messages");
        Expect.equal(expected.get(), rounds, "expected messages");
    }

    private static void manyThreads(Scene scene, Link link) throws Exception {
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int tag = t;
            tasks.add(
                    scene.inThread(
                            "client-" + t,
                            () -> {
                                for (int i = 0; i < 300; i++) {
                                    int size = 1 + (i * 37) % 3000;
                                    MemorySegment out = scene.pattern(size, i);
                                    Posted.finish(link.client().send(out, tag));
                                    MemorySegment in = scene.buffer(size);
                                    Posted.finish(link.client().receive(in, tag));
                                    Expect.bytes(in, out, "the echo");
                                }
                                return 0;
                            }));
            tasks.add(
                    scene.inThread(
                            "echo-" + t,
                            () -> {
                                MemorySegment memory = scene.buffer(3000);
                                for (int i = 0; i < 300; i++) {
                                    Posted receive = link.server().receive(memory, tag);
                                    Posted.finish(receive);
                                    MemorySegment part = memory.asSlice(0, receive.sizeBytes());
                                    Posted.finish(link.server().send(part, tag));
                                }
                                return 0;
                            }));
        }
        for (FutureTask<Integer> task : tasks) {
            task.get();
        }
    }

    private static void manyContexts(Scene scene, Link link) throws Exception {
        List<FutureTask<Integer>> pollers = new ArrayList<>();
        int contexts = 16;
        int rounds = 200;
        for (int c = 0; c < contexts; c++) {
            int tag = c;
            // As many as there may be: the link has one already.
            CompletionContext context =
                    c == 0 ? link.server().context() : link.server().bmi().openContext();
            End end = new End(link.server().bmi(), context, link.server().peer());
            pollers.add(
                    scene.inThread(
                            "poller-" + c,
                            () -> {
                                Completions done = Completions.ofCapacity(4);
                                MemorySegment in = scene.buffer(8);
                                for (int i = 0; i < rounds; i++) {
                                    Posted receive = end.receive(in, tag);
                                    int got = receive.wasPending() ? 0 : 1;
                                    for (int wait = 0; got == 0 && wait < 20; wait++) {
                                        got = end.context().testContext(done, 1000);
                                    }
                                    Expect.equal(got, 1, "completions of the one operation");
                                    Expect.equal(
                                            in.get(ValueLayout.JAVA_INT, 0),
                                            tag * 1000 + i,
                                            "what context " + tag + " received");
                                }
                                return 0;
                            }));
        }
        MemorySegment out = scene.buffer(8);
        for (int i = 0; i < rounds; i++) {
            for (int tag = 0; tag < contexts; tag++) {
                out.set(ValueLayout.JAVA_INT, 0, tag * 1000 + i);
                Posted.finish(link.client().send(out, tag));
            }
        }
        for (FutureTask<Integer> poller : pollers) {
            poller.get();
        }
    }

    private static void unexpected(Scene scene) throws Exception {
        int each = scene.amount(Amount.UNEXPECTED_OF_THREADS) / SENDERS;
        AtomicIntegerArray seen = new AtomicIntegerArray(SENDERS * each);
        AtomicInteger taken = new AtomicInteger();
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        Bmi server = scene.server();
        End[] clients = new End[SENDERS]; // all of them have met the server before the first sends
        for (int s = 0; s < SENDERS; s++) {
            clients[s] = scene.link().client();
        }
        for (int s = 0; s < SENDERS; s++) {
            End client = clients[s];
            int first = s * each;
            tasks.add(
                    scene.inThread(
                            "sender-" + s, () -> sendUnexpected(scene, client, first, each)));
        }
        for (int t = 0; t < TAKERS; t++) {
            tasks.add(scene.inThread("taker-" + t, () -> take(server, seen, taken)));
        }
        for (FutureTask<Integer> task : tasks) {
            task.get();
        }
        for (int i = 0; i < seen.length(); i++) {
            Expect.equal(seen.get(i), 1, "how often message " + i + " came");
        }
    }

    private static int sendUnexpected(Scene scene, End client, int first, int count) {
        MemorySegment memory = scene.buffer(UNEXPECTED_BYTES);
        for (int number = first; number < first + count; number++) {
            memory.fill((byte) number);
            client.sendUnexpected(memory, number, 0).succeeds(UNEXPECTED_BYTES);
        }
        return count;
    }

    private static int take(Bmi server, AtomicIntegerArray seen, AtomicInteger taken) {
        UnexpectedMessages some = UnexpectedMessages.ofCapacity(4);
        byte[] expected = new byte[UNEXPECTED_BYTES];
        long heardNs = System.nanoTime();
        while (taken.get() < seen.length()) {
            int count = server.testUnexpected(some, 50);
            for (int k = 0; k < count; k++) {
                int number = some.tag(k);
                Arrays.fill(expected, (byte) number);
                Expect.bytes(some.payload(k), MemorySegment.ofArray(expected), "message " + number);
                some.free(k);
                seen.incrementAndGet(number);
            }
            taken.addAndGet(count);
            heardNs = count > 0 ? System.nanoTime() : heardNs;
            Expect.that(System.nanoTime() - heardNs < SILENCE_NS, "messages come");
        }
        return taken.get();
    }
}
