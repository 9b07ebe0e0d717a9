package org.jbmi.testsuite.cases.call;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.Options;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.ConformanceFailure;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jbmi.testsuite.cases.common.Exchange;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Group A: opening and closing instances. */
public final class OpenCloseCases {
    private static final long HOUR_MS = 3_600_000;
    private static final long PROMPT_NS = 20_000_000_000L;

    private OpenCloseCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        list.group('A')
                .add(1, "client without methods", OpenCloseCases::plainClient)
                .add(3, "listen address that is none", OpenCloseCases::badListen)
                .add(4, "unknown method", OpenCloseCases::unknownMethod)
                .add(5, "several owners", OpenCloseCases::owners)
                .add(6, "open, close, open again", 60, OpenCloseCases::cycles)
                .add(7, "close with pending operations", OpenCloseCases::closeWithPending)
                .add(8, "close wakes those who wait", OpenCloseCases::closeWakes)
                .add(9, "calls after close", OpenCloseCases::callsAfterClose)
                .add(12, "second server", OpenCloseCases::secondServer, Capability.SINGLE_SERVER)
                .add(308, "many threads close at once", OpenCloseCases::concurrentClose)
                .add(309, "posts while the instance closes", OpenCloseCases::postsDuringClose);
    }

    private static void plainClient(Scene scene) {
        Bmi client = scene.newClient();
        Expect.that(!client.isActive(), "no method is active at first");
        Expect.that(
                client.methods().contains(scene.fixture().scheme()),
                "the method is among those found");
        Expect.refusal(
                ErrorCode.ENETDOWN,
                () -> client.getOption(Options.MAX_EXPECTED_BYTES),
                "asking for the limit of no method");
        scene.server();
        client.lookup(scene.environment().serverAddress(0));
        Expect.that(client.isActive(), "a lookup activates the method");
        try (CompletionContext context = client.openContext()) {
            Completions done = Completions.ofCapacity(1);
            Expect.equal(context.testContext(done, 1), 0, "completions");
        }
    }

    private static void badListen(Scene scene) {
        for (String address : scene.fixture().malformedAddresses()) {
            expectNoOpen(
                    scene, address, isList(address) ? ErrorCode.EINVAL : ErrorCode.ENOPROTOOPT);
        }
        String address = scene.fixture().scheme() + "://";
        expectNoOpen(scene, address + "," + address, ErrorCode.EINVAL);
        expectNoOpen(scene, "no-scheme-at-all", ErrorCode.EINVAL);
        expectNoOpen(scene, "", ErrorCode.EINVAL);
        expectWorks(scene);
    }

    /** Whether the core refuses it as a listen address before the method sees it. */
    private static boolean isList(String address) {
        int comma = address.indexOf(',');
        return comma >= 0 && address.indexOf("://", comma) > comma + 1;
    }

    private static void expectNoOpen(Scene scene, String address, ErrorCode code) {
        Expect.refusal(
                code,
                () -> scene.keep(scene.environment().clientBuilder().listen(address).open()),
                "a server on \"" + address + "\"");
    }

    private static void unknownMethod(Scene scene) {
        for (String name : new String[] {"nope", "bmi_nope", ""}) {
            Expect.refusal(
                    ErrorCode.ENOPROTOOPT,
                    () -> scene.newClient(builder -> builder.method(name)),
                    "a client with the method \"" + name + "\"");
        }
        Expect.refusal(
                ErrorCode.ENOPROTOOPT,
                () -> scene.newServer(0, builder -> builder.listen("nope://x")),
                "a server with an address too much");
        Expect.refusal(
                ErrorCode.EINVAL,
                () -> scene.newClient(builder -> builder.knob("no.such.knob", "1")),
                "a client with an unknown knob");
        Bmi named = scene.newClient(builder -> builder.method("bmi_" + scene.fixture().scheme()));
        Expect.that(named.isActive(), "the C library's name works");
        expectWorks(scene);
    }

    private static void owners(Scene scene, Link link) {
        Bmi client = link.client().bmi();
        Expect.same(client.retain(), client, "what retain returns");
        client.close();
        Expect.that(!client.isClosed(), "one close of two is none");
        Exchange.bothOrders(scene, link.client(), link.server(), 100);
        client.close();
        Expect.that(client.isClosed(), "the second close closes");
        client.close();
        Expect.that(client.isClosed(), "a third one does nothing");
        Expect.refusal(ErrorCode.EINVAL, client::retain, "retaining a closed instance");
    }

    private static void cycles(Scene scene) {
        for (int cycle = 0; cycle < 20; cycle++) {
            Bmi server = scene.newServer(0, builder -> {});
            Bmi client = scene.newClient();
            Link link = scene.link(server, scene.environment().serverAddress(0), client);
            Exchange.bothOrders(scene, link.client(), link.server(), 1000);
            Exchange.bothOrders(scene, link.server(), link.client(), 1000);
            if (cycle % 2 == 0) {
                client.close();
                server.close();
            } else {
                server.close();
                client.close();
            }
        }
    }

    private static void closeWithPending(Scene scene, Link link) throws Exception {
        link.bothWays(
                (from, to) -> {
                    for (int tag = 0; tag < 50; tag++) {
                        to.receive(scene.buffer(100), tag);
                        from.send(scene.buffer(100_000), 1000 + tag);
                    }
                });
        Posted last = link.client().receive(scene.buffer(1), 4711);
        scene.leavesThingsBehind();
        for (End end : new End[] {link.client(), link.server()}) {
            long startNs = System.nanoTime();
            end.bmi().close();
            Expect.that(System.nanoTime() - startNs < PROMPT_NS, "closing takes a bounded time");
        }
        Expect.refusal(ErrorCode.EINVAL, () -> last.isDone(0), "a test after close");
    }

    private static void closeWakes(Scene scene, Link link) throws Exception {
        End end = link.server();
        Bmi bmi = end.bmi();
        CompletionContext context = end.context();
        Posted pending = end.receive(scene.buffer(10), 1);
        UnexpectedListener listener = bmi.openListener(UnexpectedFilter.ofClass(9));
        scene.leavesThingsBehind();
        long id = pending.result();
        List<FutureTask<Integer>> waiters = new ArrayList<>();
        waiters.add(waiter(scene, "by id", done -> context.test(id, done, HOUR_MS)));
        long[] ids = {0, id};
        waiters.add(waiter(scene, "by ids", done -> context.testSome(ids, 2, done, HOUR_MS)));
        waiters.add(waiter(scene, "context", done -> context.testContext(done, HOUR_MS)));
        waiters.add(waiter(scene, "context too", done -> context.testContext(done, HOUR_MS)));
        List<FutureTask<Integer>> takers = new ArrayList<>();
        UnexpectedMessages none = UnexpectedMessages.ofCapacity(1);
        takers.add(scene.inThread("unexpected", () -> bmi.testUnexpected(none, HOUR_MS)));
        UnexpectedMessages of9 = UnexpectedMessages.ofCapacity(1);
        takers.add(scene.inThread("listener", () -> listener.test(of9, HOUR_MS)));
        Thread.sleep(100);
        long startNs = System.nanoTime();
        bmi.close();
        for (FutureTask<Integer> waiter : waiters) {
            expectReturn(waiter, 1);
        }
        for (FutureTask<Integer> taker : takers) {
            expectReturn(taker, 0);
        }
        Expect.that(System.nanoTime() - startNs < PROMPT_NS, "all waits end soon after the close");
    }

    private static Completions room() {
        return Completions.ofCapacity(4);
    }

    private interface Wait {
        int test(Completions done);
    }

    /** A thread whose wait reports operations that the close has ended: no message has come. */
    private static FutureTask<Integer> waiter(Scene scene, String name, Wait wait) {
        return scene.inThread(
                name,
                () -> {
                    Completions done = room();
                    int count = wait.test(done);
                    for (int k = 0; k < count; k++) {
                        ErrorCode code = done.outcome(k);
                        Expect.that(
                                code == ErrorCode.ECANCEL || code == ErrorCode.EINVAL,
                                "a pending receive ends with ECANCEL, not " + code);
                        Expect.equal(done.sizeBytes(k), 0, "the size reported with a failure");
                    }
                    return count;
                });
    }

    /** A wait that close ended gives nothing, at most so many operations, or EINVAL. */
    private static void expectReturn(FutureTask<Integer> waiter, int most)
            throws InterruptedException {
        try {
            int result = waiter.get();
            Expect.that(
                    result >= 0 && result <= most,
                    "a wait ends with at most " + most + " operations, not " + result);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ConformanceFailure failure) {
                throw failure;
            }
            Expect.that(
                    e.getCause() instanceof BmiException problem
                            && problem.code() == ErrorCode.EINVAL,
                    "a wait ends with EINVAL, not " + e.getCause());
        }
    }

    private static void callsAfterClose(Scene scene, Link link) {
        End end = link.client();
        Bmi bmi = end.bmi();
        PeerAddress peer = end.peer();
        CompletionContext context = end.context();
        MemorySegment memory = scene.buffer(10);
        UnexpectedListener listener = bmi.openListener(UnexpectedFilter.ofClass(9));
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        bmi.close();
        refused(() -> end.send(memory, 1), "send");
        refused(() -> end.receive(memory, 1), "receive");
        refused(() -> end.sendUnexpected(memory, 1, 0), "unexpected send");
        refused(() -> end.sendList(new MemorySegment[] {memory}, 1), "send of a list");
        refused(() -> context.test(1, room(), 0), "test");
        refused(() -> context.testSome(new long[] {1}, 1, room(), 0), "testSome");
        refused(() -> context.testContext(room(), 0), "testContext");
        refused(() -> bmi.testUnexpected(messages, 0), "testUnexpected");
        refused(() -> listener.test(messages, 0), "test of a listener");
        refused(() -> bmi.openContext(), "openContext");
        refused(() -> bmi.openListener(UnexpectedFilter.ALL), "openListener");
        refused(() -> bmi.lookup(scene.environment().serverAddress(0)), "lookup");
        refused(() -> peer.allocate(10), "memalloc");
        refused(() -> bmi.free(memory), "memfree");
        refused(() -> bmi.unexpectedFree(memory), "unexpectedFree");
        refused(() -> bmi.setOption(Options.CHECK_UNEXPECTED, true), "setOption");
        refused(() -> bmi.getOption(Options.CHECK_UNEXPECTED), "getOption");
        context.close();
        listener.close();
        bmi.close();
        Expect.that(bmi.configuration() != null, "the configuration can still be read");
        Expect.equal(Scene.counter(bmi, "bmi.operations"), 0, "operations of a closed instance");
    }

    private static void refused(Runnable call, String what) {
        Expect.refusal(ErrorCode.EINVAL, call, what + " after close");
    }

    private static void secondServer(Scene scene, Link link) {
        Expect.refusal(ErrorCode.EBUSY, () -> scene.newServer(0, builder -> {}), "a second server");
        Exchange.bothOrders(scene, link.client(), link.server(), 1000);
        link.server().bmi().close();
        link.client().bmi().close();
        Link next =
                scene.link(
                        scene.newServer(0, builder -> {}),
                        scene.environment().serverAddress(0),
                        scene.newClient());
        Exchange.bothOrders(scene, next.client(), next.server(), 1000);
    }

    private static void concurrentClose(Scene scene, Link link) throws Exception {
        link.client().receive(scene.buffer(10), 1);
        scene.leavesThingsBehind();
        List<FutureTask<Integer>> closers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            for (End end : new End[] {link.client(), link.server()}) {
                closers.add(
                        scene.inThread(
                                "closer",
                                () -> {
                                    end.bmi().close();
                                    return 0;
                                }));
            }
        }
        for (FutureTask<Integer> closer : closers) {
            closer.get();
        }
        Expect.that(link.client().bmi().isClosed(), "the client is closed");
        Expect.that(link.server().bmi().isClosed(), "the server is closed");
    }

    private static void postsDuringClose(Scene scene, Link link) throws Exception {
        scene.leavesThingsBehind();
        List<FutureTask<Integer>> posters = new ArrayList<>();
        CountDownLatch begun = new CountDownLatch(4);
        for (End end : new End[] {link.client(), link.server(), link.client(), link.server()}) {
            posters.add(scene.inThread("poster", () -> postUntilClosed(scene, end, begun)));
        }
        begun.await();
        Thread.sleep(50);
        link.client().bmi().close();
        Thread.sleep(20);
        link.server().bmi().close();
        for (FutureTask<Integer> poster : posters) {
            Expect.that(poster.get() > 0, "each thread could post before the close");
        }
    }

    private static int postUntilClosed(Scene scene, End end, CountDownLatch begun) {
        MemorySegment buffer = scene.buffer(100);
        Completions done = Completions.ofCapacity(8);
        int posts = 0;
        try {
            while (!Thread.currentThread().isInterrupted()) {
                end.send(buffer, posts & 3);
                end.receive(buffer, posts & 3);
                end.context().testContext(done, 0);
                if (posts++ == 0) {
                    begun.countDown();
                }
            }
        } catch (BmiException e) {
            Expect.equal(e.code(), ErrorCode.EINVAL, "the code of a call after close");
        }
        return posts;
    }

    private static void expectWorks(Scene scene) {
        Link link = scene.link();
        Exchange.bothOrders(scene, link.client(), link.server(), 100);
    }
}
