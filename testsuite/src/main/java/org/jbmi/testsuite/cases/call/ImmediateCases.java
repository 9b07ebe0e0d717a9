package org.jbmi.testsuite.cases.call;

import org.jbmi.CancelOutcome;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jbmi.testsuite.cases.common.Exchange;
import org.jbmi.testsuite.cases.common.Pool;
import org.jbmi.testsuite.cases.common.RoundTrip;
import org.jbmi.testsuite.cases.common.Wakes;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.FutureTask;

/** Group L: operations that are done at once; and calls that are counted (groups J, K, N). */
public final class ImmediateCases {
    private static final long NS_PER_MS = 1_000_000;
    private static final int ROUNDS = 10;
    private static final int[] SIZES = {0, 100, 100_000};
    private static final List<Integer> WITHDRAWN = List.of(5000, 6000, 100_000);

    private ImmediateCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        Capability at = Capability.IMMEDIATE;
        Capability patience = Capability.POST_TIMEOUT;
        Capability calls = Capability.CALL_COUNTER;
        list.group('J').add(149, "partner withdraws", ImmediateCases::partnerWithdraws, calls);
        list.group('K')
                .add(156, "one wait, one call", ImmediateCases::oneCall, calls)
                .add(158, "only test calls wait", ImmediateCases::onlyTestsWait);
        list.group('L')
                .add(162, "send to a registered receive", ImmediateCases::sendAtOnce, at)
                .add(163, "receive of a registered send", ImmediateCases::receiveAtOnce, at)
                .add(165, "post waits for its partner", ImmediateCases::postWaits, patience)
                .add(166, "post waits in vain", ImmediateCases::postWaitsInVain, patience)
                .add(167, "posts do not wait unasked", ImmediateCases::noWaiting)
                .add(
                        168,
                        "server posts while the client waits in its post",
                        60,
                        ImmediateCases::whileClientPosts,
                        at,
                        patience,
                        calls)
                .add(
                        169,
                        "server posts while the client waits in a test",
                        60,
                        ImmediateCases::whileClientTests,
                        at,
                        calls)
                .add(
                        170,
                        "at once into foreign memory",
                        60,
                        ImmediateCases::intoForeign,
                        at,
                        calls,
                        Capability.TEMPORARY_BLOCKS)
                .add(
                        171,
                        "at once from foreign memory",
                        60,
                        ImmediateCases::fromForeign,
                        at,
                        calls,
                        Capability.TEMPORARY_BLOCKS)
                .add(
                        174,
                        "small send is done locally",
                        ImmediateCases::local,
                        Capability.LOCAL_SENDS);
        list.group('N').add(188, "cancel makes no call", ImmediateCases::cancelMakesNoCall, calls);
    }

    private static long calls(Scene scene, End client) {
        return Scene.counter(
                client.bmi(), Objects.requireNonNull(scene.fixture().forwardedCallsCounter()));
    }

    /** The client hears that its partner is there; the partner goes before the bytes move. */
    private static void partnerWithdraws(Scene scene, Link link) throws Exception {
        End client = link.client();
        MemorySegment in = scene.pattern(100_000, 7);
        MemorySegment untouched = scene.pattern(100_000, 7);
        Posted mine = client.receive(in, 1);
        Completions done = Completions.ofCapacity(1);
        long[] ids = {mine.result()};
        for (int i = 0; i < 60; i++) {
            Posted partner = link.server().send(scene.pattern(WITHDRAWN.get(i % 3), i), 1);
            Expect.that(partner.wasPending(), "nothing moves while the client asks for nothing");
            partner.cancelled();
            Expect.equal(client.context().testSome(ids, 1, done, i % 2), 0, "outcomes");
        }
        mine.staysPending();
        Expect.bytes(in, untouched, "the buffer that nothing came into");
        MemorySegment out = scene.pattern(5000, 1);
        Exchange.check(link.server().send(out, 1), mine, out, in);
        withdrawnInTheMiddle(scene, link);
    }

    /** The same while the client waits: each message comes whole, or not at all. */
    private static void withdrawnInTheMiddle(Scene scene, Link link) throws Exception {
        MemorySegment in = scene.buffer(70_000);
        MemorySegment out = scene.pattern(70_000, 3);
        for (int i = 0; i < 20; i++) {
            Posted mine = link.client().receive(in, 2);
            FutureTask<Boolean> waiting = scene.inThread("client", () -> mine.isDone(20));
            Posted partner = link.server().send(out, 2);
            if (partner.wasPending()) {
                link.server().context().cancel(partner.result());
            }
            Posted.finish(partner);
            boolean moved = partner.error() == 0;
            Expect.equal(waiting.get(), moved, "whether the client's receive is over");
            if (moved) {
                Exchange.check(partner, mine, out, in);
            } else {
                partner.fails(ErrorCode.ECANCEL);
                mine.cancelled();
            }
        }
    }

    private static void oneCall(Scene scene, Link link) {
        End client = link.client();
        Posted[] pending = new Posted[100];
        for (int tag = 0; tag < pending.length; tag++) {
            pending[tag] = client.receive(scene.buffer(10), tag);
        }
        for (int idleMs : new int[] {0, 1, 300}) {
            long before = calls(scene, client);
            Expect.that(!pending[7].isDone(idleMs), "nothing is done");
            long made = calls(scene, client) - before;
            Expect.that(made <= 1, "a test of " + idleMs + " ms makes one call, not " + made);
        }
        for (Posted operation : pending) {
            operation.cancelled();
        }
    }

    /** In the median a call takes at most a millisecond longer than a round trip. */
    private static void onlyTestsWait(Scene scene, Link link) {
        End server = link.server();
        long boundNs = RoundTrip.medianNs(scene, link) + NS_PER_MS;
        MemorySegment memory = scene.buffer(100);
        Posted[] posted = new Posted[RoundTrip.MEASURED];
        int[] next = new int[1];
        expectShort(
                "a receive", boundNs, () -> posted[next[0]] = server.receive(memory, next[0]++));
        next[0] = 0;
        expectShort("a cancel", boundNs, () -> server.context().cancel(posted[next[0]++].result()));
        for (Posted operation : posted) {
            operation.fails(ErrorCode.ECANCEL);
        }
        next[0] = 0;
        expectShort("a send", boundNs, () -> posted[next[0]] = server.send(memory, next[0]++));
        for (int tag = 0; tag < posted.length; tag++) {
            server.context().cancel(posted[tag].result());
            Posted.finish(posted[tag]);
            if (posted[tag].error() == 0) { // done before it could be cancelled
                link.client().receive(memory, tag).succeeds(100);
            } else {
                posted[tag].fails(ErrorCode.ECANCEL);
            }
        }
        MemorySegment[] blocks = new MemorySegment[RoundTrip.MEASURED];
        next[0] = 0;
        expectShort("memalloc", boundNs, () -> blocks[next[0]++] = Scene.memalloc(server, 1000));
        next[0] = 0;
        expectShort("memfree", boundNs, () -> server.bmi().free(blocks[next[0]++]));
    }

    private static void expectShort(String what, long boundNs, Runnable call) {
        RoundTrip.expectShort(what, RoundTrip.timesNs(call), boundNs);
    }

    private static void sendAtOnce(Scene scene, Link link) {
        for (int size : SIZES) {
            MemorySegment in = scene.buffer(size);
            MemorySegment out = scene.pattern(size, size);
            Posted receive = link.server().receive(in, 1);
            Posted send = link.client().send(out, 1);
            Expect.that(!send.wasPending(), "the send of " + size + " bytes is done at once");
            Exchange.check(send, receive, out, in);
        }
    }

    private static void receiveAtOnce(Scene scene, Link link) {
        for (int size : SIZES) {
            MemorySegment in = scene.buffer(size + 10);
            MemorySegment out = scene.pattern(size, size);
            Posted send = link.server().send(out, 1);
            Posted receive = link.client().receive(in, 1);
            Expect.that(!receive.wasPending(), "the receive of " + size + " is done at once");
            Exchange.check(send, receive, out, in);
        }
    }

    private static void patience(End client, int timeoutMs) {
        client.bmi().setOption(client.peer(), Scene.postTimeoutMs(client.bmi()), timeoutMs);
    }

    private static void postWaits(Scene scene, Link link) throws Exception {
        patience(link.client(), 20_000);
        Wakes.expectPrompt(() -> postWaited(scene, link), "a post that waits for its partner");
    }

    private static long postWaited(Scene scene, Link link) throws Exception {
        MemorySegment in = scene.buffer(2000);
        MemorySegment out = scene.pattern(2000, 1);
        long[] partnerNs = new long[1];
        FutureTask<Posted> partner =
                scene.inThread(
                        "partner",
                        () -> {
                            Thread.sleep(200);
                            partnerNs[0] = System.nanoTime();
                            Posted receive = link.server().receive(in, 1);
                            Posted.finish(receive);
                            return receive;
                        });
        Posted send = link.client().send(out, 1);
        long endNs = System.nanoTime();
        Expect.that(!send.wasPending(), "the post waited until its partner came");
        Exchange.check(send, partner.get(), out, in);
        return endNs - partnerNs[0];
    }

    private static void postWaitsInVain(Scene scene, Link link) {
        patience(link.client(), 200);
        MemorySegment out = scene.pattern(2000, 1);
        MemorySegment in = scene.buffer(2000);
        long startNs = System.nanoTime();
        Posted send = link.client().send(out, 1);
        long tookNs = System.nanoTime() - startNs;
        Expect.that(send.wasPending(), "nobody came");
        Expect.that(tookNs > 150 * NS_PER_MS, "the post waited, but only " + tookNs + " ns");
        Exchange.check(send, link.server().receive(in, 1), out, in);
    }

    private static void noWaiting(Scene scene, Link link) throws Exception {
        long boundNs = RoundTrip.medianNs(scene, link) + NS_PER_MS;
        MemorySegment memory = scene.buffer(100);
        link.bothWays(
                (from, to) -> {
                    Posted[] posted = new Posted[RoundTrip.MEASURED];
                    int[] next = new int[1];
                    expectShort(
                            "a post",
                            boundNs,
                            () -> posted[next[0]] = to.receive(memory, next[0]++));
                    for (Posted operation : posted) {
                        operation.cancelled();
                    }
                });
    }

    /** A client waits; the server posts; in some round the server's post is done at once. */
    private static void whileClientPosts(Scene scene, Link link) throws Exception {
        patience(link.client(), 15_000);
        int atOnce = 0;
        for (int i = 0; i < ROUNDS; i++) {
            MemorySegment out = scene.pattern(70_000, i);
            MemorySegment in = scene.buffer(70_000);
            long before = calls(scene, link.client());
            FutureTask<Posted> send = scene.inThread("client", () -> link.client().send(out, 1));
            awaitCall(scene, link.client(), before);
            Posted receive = link.server().receive(in, 1);
            atOnce += expectMoved(receive, out, in);
            Exchange.check(send.get(), receive, out, in);
            Expect.that(!send.get().wasPending(), "the client's post was done at once");
        }
        Expect.that(atOnce > 0, "at least one of the server's posts is done at once");
    }

    private static void awaitCall(Scene scene, End client, long before) throws Exception {
        Expect.eventually(() -> calls(scene, client) > before, "the client's call is forwarded");
        // It is counted when it is made: give it the time to arrive.
        Thread.sleep(20);
    }

    private static int expectMoved(Posted receive, MemorySegment out, MemorySegment in) {
        if (receive.wasPending()) {
            return 0;
        }
        Expect.bytes(in, out, "what a post that is done at once received");
        return 1;
    }

    private static void whileClientTests(Scene scene, Link link) throws Exception {
        receiveWhileClientTests(scene, link);
    }

    private static void receiveWhileClientTests(Scene scene, Link link) throws Exception {
        int atOnce = 0;
        for (int i = 0; i < ROUNDS; i++) {
            MemorySegment out = scene.pattern(70_000, i);
            MemorySegment in = scene.buffer(70_000);
            Posted send = link.client().send(out, 1);
            long before = calls(scene, link.client());
            FutureTask<Boolean> test = scene.inThread("client", () -> send.isDone(15_000));
            awaitCall(scene, link.client(), before);
            Posted receive = link.server().receive(in, 1);
            atOnce += expectMoved(receive, out, in);
            Expect.that(test.get(), "the client's test reports the send");
            Exchange.check(send, receive, out, in);
        }
        Expect.that(atOnce > 0, "at least one of the server's posts is done at once");
    }

    private static void intoForeign(Scene scene) throws Exception {
        scene.settings(EnvironmentSettings.DEFAULT.withPool(Pool.BYTES));
        Link link = scene.link();
        receiveWhileClientTests(scene, link);
        Pool.expectWhole(scene, link.server());
    }

    private static void fromForeign(Scene scene) throws Exception {
        scene.settings(EnvironmentSettings.DEFAULT.withPool(Pool.BYTES));
        Link link = scene.link();
        int atOnce = 0;
        for (int i = 0; i < ROUNDS; i++) {
            MemorySegment out = scene.pattern(70_000, i);
            MemorySegment in = scene.buffer(70_000);
            Posted receive = link.client().receive(in, 1);
            long before = calls(scene, link.client());
            FutureTask<Boolean> test = scene.inThread("client", () -> receive.isDone(15_000));
            awaitCall(scene, link.client(), before);
            Posted send = link.server().send(out, 1);
            atOnce += send.wasPending() ? 0 : 1;
            Expect.that(test.get(), "the client's test reports the receive");
            Exchange.check(send, receive, out, in);
        }
        Expect.that(atOnce > 0, "at least one of the server's posts is done at once");
        Pool.expectWhole(scene, link.server());
    }

    private static void local(Scene scene, End from, End to) {
        MemorySegment out = scene.pattern(100, 1);
        Posted send = from.send(out, 1);
        send.succeeds(100);
        out.fill((byte) 0);
        MemorySegment in = scene.buffer(100);
        to.receive(in, 1).succeeds(100);
        Expect.bytes(in, scene.pattern(100, 1), "the message as it was sent");
    }

    private static void cancelMakesNoCall(Scene scene, Link link) {
        End client = link.client();
        Posted receive = client.receive(scene.buffer(10), 1);
        Posted send = client.send(scene.buffer(100_000), 2);
        long before = calls(scene, client);
        Expect.equal(
                client.context().cancel(receive.result()), CancelOutcome.CANCELLED, "the cancel");
        client.context().cancel(send.result());
        Completions done = Completions.ofCapacity(4);
        Expect.equal(client.context().testContext(done, 0), 2, "cancelled operations");
        Expect.equal(calls(scene, client) - before, 0, "calls made for cancelling");
    }
}
