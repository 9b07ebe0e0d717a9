package org.jbmi.testsuite.cases.message;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.PostOptions;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jbmi.testsuite.cases.common.Exchange;
import org.jbmi.testsuite.cases.common.PeerLife;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Group I: what happens when the memory for unexpected messages is full. */
public final class ExhaustionCases {
    private static final long MEMORY = 1L << 20;
    private static final int MESSAGE = 8192;
    private static final int FIT = (int) (MEMORY / MESSAGE);
    private static final int LEAST = 50;
    private static final int COUNT = 200;

    /** If no outcome comes for this time, the checks hold even if more come later. */
    private static final long SHORT_QUIET_NS = 15_000_000;

    /** If no outcome comes for this time, none will come, even on a busy machine. */
    private static final long LONG_QUIET_NS = 1_000_000_000;

    private ExhaustionCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        Capability bounded = Capability.BOUNDED_UNEXPECTED;
        list.group('I')
                .add(
                        121,
                        "memory for unexpected messages fills up",
                        ExhaustionCases::fills,
                        bounded)
                .add(122, "everything arrives when it is freed", ExhaustionCases::recovers, bounded)
                .add(
                        123,
                        "what is refused moves no payload",
                        ExhaustionCases::nothingMoves,
                        bounded)
                .add(
                        124,
                        "a post waits for memory",
                        ExhaustionCases::postWaits,
                        bounded,
                        Capability.POST_TIMEOUT)
                .add(125, "two clients compete", ExhaustionCases::competition, bounded)
                .add(
                        126,
                        "expected traffic while nothing is freed",
                        ExhaustionCases::expectedGoesOn,
                        bounded)
                .add(
                        304,
                        "a flood locks no other client out",
                        ExhaustionCases::floodLocksNobodyOut,
                        bounded)
                .add(
                        332,
                        "a flood leaves room for a first message",
                        ExhaustionCases::roomForAFirst,
                        bounded)
                .add(
                        334,
                        "receiver closes while sends wait for memory",
                        ExhaustionCases::receiverCloses,
                        bounded)
                .add(
                        335,
                        "sender closes while its sends wait for memory",
                        ExhaustionCases::senderCloses,
                        bounded)
                .add(
                        337,
                        "deadline of a send that waits for memory",
                        ExhaustionCases::deadline,
                        bounded)
                .add(
                        338,
                        "memory of a send that waits is not freed",
                        ExhaustionCases::inUse,
                        bounded);
    }

    private static void limit(Scene scene) {
        scene.settings(
                EnvironmentSettings.DEFAULT
                        .withUnexpectedMemory(MEMORY)
                        .withMaxUnexpected(MESSAGE));
    }

    private static Link full(Scene scene, List<Posted> sends) {
        if (!scene.hasEnvironment()) {
            limit(scene);
        }
        Link link = scene.link();
        flood(scene, link.client(), COUNT, sends);
        return link;
    }

    private static void flood(Scene scene, End client, int count, List<Posted> sends) {
        for (int i = 0; i < count; i++) {
            sends.add(client.sendUnexpected(scene.pattern(MESSAGE, i), i, 0));
        }
        settle(sends, SHORT_QUIET_NS);
    }

    /** Asks for all outcomes until none comes for a while; returns how many are known. */
    private static int settle(List<Posted> sends, long quietNs) {
        int done = -1;
        long changedNs = System.nanoTime();
        while (System.nanoTime() - changedNs < quietNs) {
            int now = settleOnce(sends);
            if (now != done) {
                done = now;
                changedNs = System.nanoTime();
            }
            sends.getLast().isDone(5);
        }
        return done;
    }

    private static void fills(Scene scene) {
        List<Posted> sends = new ArrayList<>();
        Link link = full(scene, sends);
        Expect.eventually(() -> settleOnce(sends) >= LEAST, "at least " + LEAST + " fit at once");
        int done = settle(sends, SHORT_QUIET_NS);
        Expect.that(done <= FIT, "at most " + FIT + " fit at once, not " + done);
        for (int i = 0; i < done; i++) {
            sends.get(i).succeeds(MESSAGE);
        }
        for (Posted send : sends.subList(done, COUNT)) {
            Expect.that(send.wasPending(), "the others are pending and no error");
        }
        drain(scene, link, sends, COUNT);
    }

    private static void recovers(Scene scene) {
        List<Posted> sends = new ArrayList<>();
        Link link = full(scene, sends);
        drain(scene, link, sends, COUNT);
        Posted.finish(sends.toArray(new Posted[0]));
        for (Posted send : sends) {
            send.succeeds(MESSAGE);
        }
        UnexpectedMessages none = UnexpectedMessages.ofCapacity(1);
        Expect.equal(link.server().bmi().testUnexpected(none, 20), 0, "messages left");
    }

    private static void drain(Scene scene, Link link, List<Posted> sends, int count) {
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(5);
        Bmi server = link.server().bmi();
        int[] next = new int[1];
        Expect.eventually(
                () -> {
                    sends.forEach(send -> send.isDone(0));
                    int got = server.testUnexpected(messages, 1);
                    for (int k = 0; k < got; k++) {
                        Expect.equal(messages.tag(k), next[0], "the tag of the message");
                        Expect.bytes(
                                messages.payload(k),
                                scene.pattern(MESSAGE, next[0]),
                                "message " + next[0]);
                        messages.free(k);
                        next[0]++;
                    }
                    return next[0] == count;
                },
                count + " messages arrive in order");
    }

    private static void nothingMoves(Scene scene) {
        String accepted = scene.fixture().unexpectedAcceptedCounter();
        String copied = scene.fixture().clientCopiesCounter();
        Expect.that(accepted != null || copied != null, "the method counts what it moves");
        limit(scene);
        Link link = scene.link();
        List<Posted> sends = new ArrayList<>();
        long acceptedBefore = count(link.server(), accepted);
        long copiedBefore = count(link.client(), copied);
        flood(scene, link.client(), COUNT, sends);
        Expect.that(settleOnce(sends) < COUNT, "some are refused");
        if (accepted != null) {
            Expect.eventually(
                    () -> count(link.server(), accepted) - acceptedBefore == settleOnce(sends),
                    "only the messages that are done were accepted");
        }
        if (copied != null) {
            Expect.eventually(
                    () -> count(link.client(), copied) - copiedBefore == settleOnce(sends),
                    "only the messages that are done were copied");
        }
        drain(scene, link, sends, COUNT);
    }

    private static long count(End end, @Nullable String label) {
        return label == null ? 0 : Scene.counter(end.bmi(), label);
    }

    private static void postWaits(Scene scene) throws Exception {
        List<Posted> sends = new ArrayList<>();
        Link link = full(scene, sends);
        Bmi client = link.client().bmi();
        client.setOption(link.client().peer(), Scene.postTimeoutMs(client), 10_000);
        var drained =
                scene.inThread(
                        "drain",
                        () -> {
                            Thread.sleep(300);
                            UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
                            for (int i = 0; i < COUNT; i++) {
                                Expect.equal(
                                        link.server().bmi().testUnexpected(one, 10_000), 1, "got");
                                one.free(0);
                            }
                            return 0;
                        });
        Posted last = link.client().sendUnexpected(scene.pattern(MESSAGE, COUNT), COUNT, 0);
        Expect.that(!last.wasPending(), "the post waited until it was done");
        last.succeeds(MESSAGE);
        Expect.eventually(
                () -> {
                    sends.forEach(send -> send.isDone(0));
                    return drained.isDone();
                },
                "the others are drained");
        drained.get();
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        Expect.equal(link.server().bmi().testUnexpected(one, 5000), 1, "the last message");
        one.free(0);
        Posted.finish(sends.toArray(new Posted[0]));
    }

    private static void competition(Scene scene) {
        List<Posted> a = new ArrayList<>();
        limit(scene);
        Link second = scene.link();
        Link first = full(scene, a);
        List<Posted> b = new ArrayList<>();
        flood(scene, second.client(), 4, b);
        List<Posted> both = new ArrayList<>(a);
        both.addAll(b);
        int before = settle(both, LONG_QUIET_NS);
        Bmi server = first.server().bmi();
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        Expect.equal(server.testUnexpected(one, 1000), 1, "a message to take");
        one.free(0);
        int more = settle(both, SHORT_QUIET_NS) - before;
        Expect.that(more <= 1, "one freed message makes room for one, not " + more);
        Expect.eventually(
                () -> {
                    int taken = takeAll(server);
                    return settleOnce(both) == COUNT + 4 && taken == 0;
                },
                "both get all their messages through");
        for (Posted send : b) {
            send.succeeds(MESSAGE);
        }
    }

    /** Takes and frees all messages that there are; returns how many. */
    private static int takeAll(Bmi server) {
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        int taken = 0;
        while (server.testUnexpected(one, 1) == 1) {
            one.free(0);
            taken++;
        }
        return taken;
    }

    private static int settleOnce(List<Posted> sends) {
        int done = 0;
        for (Posted send : sends) {
            done += send.isDone(0) ? 1 : 0;
        }
        return done;
    }

    private static void comesThrough(List<Posted> flood, Bmi server) {
        Expect.eventually(
                () -> {
                    boolean isAccepted = settleOnce(flood) == COUNT;
                    return takeAll(server) == 0 && isAccepted;
                },
                "the flood comes through in the end");
    }

    private static void expectedGoesOn(Scene scene) {
        List<Posted> sends = new ArrayList<>();
        limit(scene);
        Link other = scene.link();
        Link flooding = full(scene, sends);
        UnexpectedMessages held = UnexpectedMessages.ofCapacity(COUNT);
        Bmi server = flooding.server().bmi();
        Expect.that(server.testUnexpected(held, 1000) > 0, "the server holds messages");
        Exchange.bothOrders(scene, other.client(), other.server(), 100_000);
        Exchange.bothOrders(scene, other.server(), other.client(), 100_000);
        Exchange.bothOrders(scene, flooding.client(), flooding.server(), 1000);
        int taken = held.count();
        for (int k = 0; k < taken; k++) {
            held.free(k);
        }
        comesThrough(sends, server);
    }

    private static void floodLocksNobodyOut(Scene scene) {
        List<Posted> sends = new ArrayList<>();
        limit(scene);
        Link other = scene.link();
        Link flooding = full(scene, sends);
        MemorySegment small = scene.pattern(100, 1);
        Posted send = other.client().sendUnexpected(small, 4711, 0);
        Bmi server = flooding.server().bmi();
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        int[] before = {-1};
        int[] taken = new int[1];
        Expect.eventually(
                () -> {
                    send.isDone(0);
                    settleOnce(sends);
                    if (server.testUnexpected(one, 1) == 1) {
                        if (one.tag(0) == 4711) {
                            before[0] = taken[0];
                        }
                        taken[0]++;
                        one.free(0);
                    }
                    return settleOnce(sends) == COUNT && send.isDone(0) && before[0] >= 0;
                },
                "all messages arrive");
        Expect.that(
                before[0] <= FIT + 8,
                "the other client waits for what is accepted, not for the flood: " + before[0]);
        while (server.testUnexpected(one, 20) == 1) {
            one.free(0);
        }
    }

    /** The server takes nothing and frees nothing until the other client's message is accepted. */
    private static void roomForAFirst(Scene scene) {
        List<Posted> sends = new ArrayList<>();
        limit(scene);
        Link other = scene.link();
        Link flooding = full(scene, sends);
        Expect.that(settleOnce(sends) < COUNT, "the flood does not fit");
        other.client().sendUnexpected(scene.pattern(MESSAGE, 1), 4711, 0).succeeds(MESSAGE);
        comesThrough(sends, flooding.server().bmi());
    }

    private static void receiverCloses(Scene scene) {
        List<Posted> sends = new ArrayList<>();
        Link link = full(scene, sends);
        link.server().bmi().close();
        Posted.finish(sends.toArray(new Posted[0]));
        int accepted = 0;
        for (Posted send : sends) {
            if (send.error() == 0) {
                send.succeeds(MESSAGE);
                accepted++;
            } else {
                send.fails(ErrorCode.EPIPE);
            }
        }
        Expect.that(accepted <= FIT, "sends that waited fail: " + accepted + " succeeded");
    }

    /** After the close the program may use its buffers for something else. */
    private static void senderCloses(Scene scene) {
        limit(scene);
        Link link = scene.link();
        List<Posted> sends = new ArrayList<>();
        MemorySegment[] out = new MemorySegment[COUNT];
        for (int i = 0; i < COUNT; i++) {
            out[i] = scene.pattern(MESSAGE, i);
            sends.add(link.client().sendUnexpected(out[i], i, 0));
        }
        int accepted = settle(sends, SHORT_QUIET_NS);
        link.client().bmi().close();
        for (MemorySegment each : out) {
            each.fill((byte) 0);
        }
        PeerLife.expectGone(scene, link.server());
        Bmi server = link.server().bmi();
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        int arrived = 0;
        while (server.testUnexpected(one, 50) == 1) {
            Expect.equal(one.tag(0), arrived, "the tag of the message");
            Expect.bytes(one.payload(0), scene.pattern(MESSAGE, arrived), "message " + arrived);
            one.free(0);
            arrived++;
        }
        Expect.that(
                arrived >= accepted && arrived <= FIT,
                "what was accepted arrives and no more: " + arrived + ", not " + accepted);
    }

    private static void deadline(Scene scene) throws Exception {
        List<Posted> sends = new ArrayList<>();
        Link link = full(scene, sends);
        End client = link.client();
        Posted tested = sendUntil(scene, client, COUNT, 50);
        tested.fails(ErrorCode.ETIMEDOUT);
        Posted untested = sendUntil(scene, client, COUNT + 1, 20);
        sends.add(client.sendUnexpected(scene.pattern(MESSAGE, COUNT), COUNT, 0));
        Thread.sleep(60);
        Bmi server = link.server().bmi();
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        int[] next = new int[1];
        Expect.eventually(
                () -> {
                    if (server.testUnexpected(one, 1) == 1) {
                        Expect.equal(one.tag(0), next[0]++, "the tag of the message");
                        one.free(0);
                    } else {
                        settleOnce(sends); // not earlier: a test removes the expired send
                    }
                    return next[0] == COUNT + 1;
                },
                "the messages without a deadline arrive");
        untested.fails(ErrorCode.ETIMEDOUT);
        Posted.finish(sends.toArray(new Posted[0]));
    }

    private static void inUse(Scene scene) {
        List<Posted> sends = new ArrayList<>();
        Link link = full(scene, sends);
        End client = link.client();
        MemorySegment memory = Scene.memalloc(client, MESSAGE);
        Scene.fill(memory, COUNT);
        Posted send = client.sendUnexpected(memory, COUNT, 0);
        Expect.that(send.wasPending(), "the send waits for memory");
        Expect.refusal(
                ErrorCode.EBUSY, () -> client.bmi().free(memory), "freeing the memory of a send");
        sends.add(send);
        drain(scene, link, sends, COUNT + 1);
        send.succeeds(MESSAGE);
        client.bmi().free(memory);
        Posted.finish(sends.toArray(new Posted[0]));
    }

    private static Posted sendUntil(Scene scene, End client, int number, int deadlineMs) {
        MemorySegment out = scene.pattern(MESSAGE, number);
        PostOptions soon = PostOptions.NONE.withDeadlineMs(deadlineMs);
        Posted send =
                new Posted(
                        client.context(),
                        client.context()
                                .postSendUnexpected(client.peer(), out, number, 0, null, soon));
        Expect.that(send.wasPending(), "a send with a deadline waits for memory");
        return send;
    }
}
