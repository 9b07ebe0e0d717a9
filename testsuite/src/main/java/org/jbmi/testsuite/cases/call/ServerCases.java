package org.jbmi.testsuite.cases.call;

import org.jbmi.CancelOutcome;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.testsuite.Amount;
import org.jbmi.testsuite.Capability;
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
import java.util.concurrent.FutureTask;

/** Cancel on the server (group O), and its many threads (group Q). */
public final class ServerCases {
    private static final int THREADS = 32;
    private static final int WAITERS = 64;

    /** Of each kind, and on each side. */
    private static final int REFUSALS = 5_000;

    private ServerCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        list.group('O')
                .add(195, "cancel of what is registered", ServerCases::registered)
                .add(196, "cancel of a transfer under way", 90, ServerCases::underWay);
        list.group('Q')
                .add(218, "many threads, a reply for each", 60, ServerCases::replies)
                .add(219, "many threads blocked in test", 60, ServerCases::blocked)
                .add(221, "every refusal, thousands of times", 60, ServerCases::refusals);
    }

    private static void registered(Scene scene, Link link) {
        End server = link.server();
        MemorySegment in = scene.buffer(5000);
        Posted clients = link.client().receive(in, 1);
        Posted receive = server.receive(scene.buffer(100), 2);
        Posted send = server.send(scene.buffer(70_000), 3);
        for (Posted operation : new Posted[] {receive, send}) {
            if (operation.wasPending()) {
                CancelOutcome outcome = server.context().cancel(operation.result());
                boolean local = scene.can(Capability.LOCAL_SENDS);
                Expect.that(
                        outcome == CancelOutcome.CANCELLED || local, "cancelled, not " + outcome);
                Posted.finish(operation);
                Expect.that(
                        local || operation.error() == ErrorCode.ECANCEL.negativeValue(),
                        "it ends with ECANCEL");
            }
        }
        Completions none = Completions.ofCapacity(1);
        Expect.equal(server.context().testContext(none, 10), 0, "further completions");
        clients.staysPending();
        MemorySegment out = scene.pattern(5000, 4);
        Exchange.check(server.send(out, 1), clients, out, in);
        if (scene.can(Capability.LOCAL_SENDS) && send.error() == 0) {
            Posted.finish(link.client().receive(scene.buffer(70_000), 3));
        }
    }

    private static void underWay(Scene scene, Link link) throws Exception {
        int size = (int) Math.min(Scene.maxExpected(link.client()), 16 << 20);
        MemorySegment out = scene.pattern(size, 1);
        MemorySegment in = scene.buffer(size);
        MemorySegment mark = scene.pattern(size, 2);
        for (int round = 0; round < 12; round++) {
            in.copyFrom(mark);
            int tag = round;
            FutureTask<Posted> sender =
                    scene.inThread(
                            "sender",
                            () -> {
                                Posted send = link.client().send(out, tag);
                                Posted.finish(send);
                                return send;
                            });
            Posted receive = link.server().receive(in, tag);
            drive(receive, scene.random().nextInt(8));
            if (receive.wasPending()) {
                CancelOutcome outcome = link.server().context().cancel(receive.result());
                Posted.finish(receive);
                receive.agreesWith(outcome);
            }
            if (receive.error() == 0) {
                receive.succeeds(size);
                Expect.bytes(in, out, "a transfer that succeeded");
            } else {
                receive.fails(ErrorCode.ECANCEL);
                expectStill(in);
                takeRest(scene, link, sender, size, tag);
            }
            sender.get().succeeds(size);
        }
        Exchange.bothOrders(scene, link.client(), link.server(), 1000);
    }

    private static void drive(Posted operation, int forMs) {
        if (forMs > 0) {
            operation.isDone(forMs);
        }
    }

    /** Nobody writes any more. */
    private static void expectStill(MemorySegment buffer) throws InterruptedException {
        MemorySegment copy = MemorySegment.ofArray(new byte[(int) buffer.byteSize()]);
        copy.copyFrom(buffer);
        Thread.sleep(20);
        Expect.bytes(buffer, copy, "a cancelled receive's buffer, a while later");
    }

    /** Takes the message whose receive was cancelled, unless it was drained into nothing. */
    private static void takeRest(
            Scene scene, Link link, FutureTask<Posted> sender, int size, int tag) {
        Posted rest = link.server().receive(scene.buffer(size), tag);
        Expect.eventually(() -> rest.isDone(1) || sender.isDone(), "the sender gets through");
        if (!rest.isDone(scene.can(Capability.LOCAL_SENDS) ? 100 : 10_000)) {
            Expect.that(scene.can(Capability.LOCAL_SENDS), "only a stream may drain a message");
            rest.cancelled();
        }
    }

    private static void replies(Scene scene, Link link) throws Exception {
        int rounds = Math.ceilDiv(scene.amount(Amount.REPLIES), 2 * THREADS);
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int tag = t;
            tasks.add(scene.inThread("server " + t, () -> echo(scene, link.server(), tag, rounds)));
        }
        int clients = 4;
        for (int c = 0; c < clients; c++) {
            int first = c * THREADS / clients;
            tasks.add(
                    scene.inThread(
                            "client " + c,
                            () -> ask(scene, link.client(), first, THREADS / clients, rounds)));
        }
        int all = 0;
        for (FutureTask<Integer> task : tasks) {
            all += task.get();
        }
        Expect.equal(all, 2L * THREADS * rounds, "rounds of all threads");
    }

    private static int echo(Scene scene, End server, int tag, int rounds) {
        MemorySegment buffer = scene.buffer(512);
        for (int round = 0; round < rounds; round++) {
            server.receive(buffer, tag).succeeds(512);
            server.send(buffer, tag).succeeds(512);
        }
        return rounds;
    }

    private static int ask(Scene scene, End client, int first, int count, int rounds) {
        MemorySegment in = scene.buffer(512);
        MemorySegment[] out = new MemorySegment[count];
        for (int i = 0; i < count; i++) {
            out[i] = scene.buffer(512);
        }
        for (int round = 0; round < rounds; round++) {
            Posted[] sends = new Posted[count];
            for (int i = 0; i < count; i++) {
                Scene.fill(out[i], round * 1000L + first + i);
                sends[i] = client.send(out[i], first + i);
            }
            for (int i = count - 1; i >= 0; i--) {
                Posted receive = client.receive(in, first + i);
                Posted.finish(sends[i], receive);
                Expect.bytes(in, out[i], "the reply");
            }
        }
        return rounds * count;
    }

    private static void blocked(Scene scene, Link link) throws Exception {
        List<FutureTask<Integer>> waiters = new ArrayList<>();
        for (int t = 0; t < WAITERS; t++) {
            int tag = t;
            MemorySegment in = scene.buffer(100);
            Posted receive = link.server().receive(in, tag);
            waiters.add(
                    scene.inThread(
                            "waiter " + t,
                            () -> {
                                receive.succeeds(100);
                                Expect.bytes(in, scene.pattern(100, tag), "the message");
                                return 1;
                            }));
        }
        Thread.sleep(50);
        Posted[] sends = new Posted[WAITERS];
        for (int tag = WAITERS - 1; tag >= 0; tag--) {
            sends[tag] = link.client().send(scene.pattern(100, tag), tag);
        }
        Posted.finish(sends);
        for (FutureTask<Integer> waiter : waiters) {
            Expect.equal(waiter.get(), 1, "messages of a waiter");
        }
    }

    private static void refusals(Scene scene, Link link) throws Exception {
        MemorySegment tooLarge = scene.buffer(Scene.maxExpected(link.client()) + 1);
        MemorySegment small = scene.buffer(10);
        MemorySegment[] list = {small, small};
        link.bothWays(
                (from, to) -> {
                    MemorySegment out = scene.pattern(100, 3);
                    Posted waiting = from.send(out, 3);
                    // When this has come, the message before it is known on the other side.
                    Exchange.bothOrders(scene, from, to, 1);
                    for (int i = 0; i < REFUSALS; i++) {
                        to.receive(small, 3).fails(ErrorCode.EPROTO);
                        from.send(tooLarge, 1).isRefused(ErrorCode.EMSGSIZE);
                        to.receive(tooLarge, 1).isRefused(ErrorCode.EMSGSIZE);
                        Expect.refusal(
                                ErrorCode.EINVAL,
                                () ->
                                        from.context()
                                                .postSendList(
                                                        from.peer(),
                                                        list,
                                                        21,
                                                        1,
                                                        null,
                                                        org.jbmi.PostOptions.NONE),
                                "a list with a wrong total");
                        if (i % 50 == 0) {
                            to.receive(small, 2).cancelled();
                        }
                    }
                    MemorySegment in = scene.buffer(100);
                    Exchange.check(waiting, to.receive(in, 3), out, in);
                });
        Exchange.bothOrders(scene, link.client(), link.server(), 1000);
    }
}
