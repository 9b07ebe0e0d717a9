package org.jbmi.testsuite.cases.message;

import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PostOptions;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
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

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;

/** Group M: what matches what, and in which order. */
public final class OrderCases {
    private static final int LARGE = 1 << 20;

    private static final int[] CLASSES = {0, 5, 255, 1};

    /** A deadline that no operation of a case reaches. */
    private static final int LATE_MS = 600_000;

    private OrderCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        list.group('M')
                .add(176, "first in, first out for a tag", OrderCases::fifo)
                .add(177, "different tags in any order", OrderCases::anyOrder)
                .add(178, "no matching across peers", OrderCases::noCrossing)
                .add(179, "a waiting send is not overtaken", OrderCases::notOvertaken)
                .add(180, "small does not overtake large", OrderCases::smallAfterLarge)
                .add(
                        182,
                        "order of unexpected messages that waited",
                        120,
                        OrderCases::unexpectedRetry,
                        Capability.BOUNDED_UNEXPECTED)
                .add(184, "a large message nobody takes stops nothing", OrderCases::noStop)
                .add(185, "a tag for each thread", 60, OrderCases::tagPerThread)
                .add(186, "reply before its receive", OrderCases::earlyReply)
                .add(315, "receive too small for a message that waits", OrderCases::tooSmallLate)
                .add(316, "message too large for a receive that waits", OrderCases::tooLargeLate)
                .add(317, "random posts keep their order", 60, OrderCases::randomOrder);
    }

    private static void fifo(Scene scene, End from, End to) {
        for (int order = 0; order < 3; order++) {
            fifo(scene, from, to, order);
        }
    }

    /** Order 0: receives first, 1: sends first, 2: in turn. */
    private static void fifo(Scene scene, End from, End to, int order) {
        int count = 20;
        MemorySegment[] in = new MemorySegment[count];
        Posted[] all = new Posted[2 * count];
        for (int step = 0; step < 2 * count; step++) {
            boolean receive =
                    switch (order) {
                        case 0 -> step < count;
                        case 1 -> step >= count;
                        default -> step % 2 == 0;
                    };
            int i = order == 2 ? step / 2 : step % count;
            if (receive) {
                in[i] = scene.buffer(10_000);
                all[step] = to.receive(in[i], 5);
            } else {
                all[step] = from.send(scene.pattern(sizeOf(i), i), 5);
            }
        }
        Posted.finish(all);
        for (int i = 0; i < count; i++) {
            Expect.bytes(
                    in[i].asSlice(0, sizeOf(i)),
                    scene.pattern(sizeOf(i), i),
                    "message " + i + " in order " + order);
        }
    }

    private static int sizeOf(int i) {
        return 1 + (i * 977) % 9000;
    }

    private static void anyOrder(Scene scene, End from, End to) {
        Posted[] sends = new Posted[10];
        for (int tag = 0; tag < 10; tag++) {
            sends[tag] = from.send(scene.pattern(100, tag), tag);
        }
        for (int tag = 9; tag >= 0; tag--) {
            MemorySegment in = scene.buffer(100);
            Posted receive = to.receive(in, tag);
            Exchange.check(sends[tag], receive, scene.pattern(100, tag), in);
        }
    }

    private static void noCrossing(Scene scene) {
        Link one = scene.link();
        Link two = scene.link();
        MemorySegment[] in = {scene.buffer(10), scene.buffer(10)};
        Posted first = one.server().receive(in[0], 5);
        Posted second = two.server().receive(in[1], 5);
        MemorySegment out = scene.pattern(10, 2);
        Exchange.check(two.client().send(out, 5), second, out, in[1]);
        first.staysPending();
        out = scene.pattern(10, 1);
        Exchange.check(one.client().send(out, 5), first, out, in[0]);
        Posted send = one.server().send(out, 6);
        Posted wrong = two.client().receive(in[1], 6);
        wrong.staysPending();
        Exchange.check(send, one.client().receive(in[0], 6), out, in[0]);
        wrong.cancelled();
    }

    private static void notOvertaken(Scene scene, End from, End to) {
        MemorySegment in = scene.buffer(100);
        Posted a = from.send(scene.pattern(100, 1), 5);
        Posted receive = to.receive(in, 5);
        Posted b = from.send(scene.pattern(100, 2), 5);
        Posted.finish(receive, a);
        Expect.bytes(in, scene.pattern(100, 1), "the first message");
        Exchange.check(b, to.receive(in, 5), scene.pattern(100, 2), in);
    }

    private static void smallAfterLarge(Scene scene, End from, End to) {
        Posted large = from.send(scene.pattern(LARGE, 1), 5);
        Posted small = from.send(scene.pattern(10, 2), 5);
        MemorySegment first = scene.buffer(LARGE);
        MemorySegment second = scene.buffer(LARGE);
        Posted one = to.receive(first, 5);
        Posted two = to.receive(second, 5);
        Posted.finish(large, small, one, two);
        one.succeeds(LARGE);
        two.succeeds(10);
        Expect.bytes(first, scene.pattern(LARGE, 1), "the large message");
        Expect.bytes(second.asSlice(0, 10), scene.pattern(10, 2), "the small message");
    }

    private static void unexpectedRetry(Scene scene) {
        scene.settings(
                EnvironmentSettings.DEFAULT.withUnexpectedMemory(1 << 20).withMaxUnexpected(8192));
        Link link = scene.link();
        List<Posted> sends = new ArrayList<>();
        List<MemorySegment> out = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            out.add(scene.pattern(i % 3 == 0 ? 100 : 8192, i));
            sends.add(link.client().sendUnexpected(out.get(i), i, classOf(scene, i)));
        }
        Expect.that(!sends.getLast().isDone(0), "there is no room for all of them");
        try (UnexpectedListener all = link.server().bmi().openListener(UnexpectedFilter.ALL)) {
            takeInOrder(scene, all, sends, out);
        }
        Posted.finish(sends.toArray(new Posted[0]));
    }

    private static int classOf(Scene scene, int number) {
        return scene.can(Capability.NO_CLASSES) ? 0 : CLASSES[number % CLASSES.length];
    }

    private static void takeInOrder(
            Scene scene, UnexpectedListener all, List<Posted> sends, List<MemorySegment> out) {
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        int[] next = new int[1];
        Expect.eventually(
                () -> {
                    sends.forEach(send -> send.isDone(0));
                    if (all.test(one, 1) == 1) {
                        Expect.equal(one.tag(0), next[0], "the tag");
                        Expect.equal(one.messageClass(0), classOf(scene, next[0]), "the class");
                        Expect.bytes(one.payload(0), out.get(next[0]++), "the bytes");
                        one.free(0);
                    }
                    return next[0] == sends.size();
                },
                "all messages arrive in order");
    }

    private static void noStop(Scene scene, End from, End to) {
        Posted large = from.send(scene.pattern(LARGE, 1), 99);
        for (int round = 0; round < 20; round++) {
            Exchange.bothOrders(scene, from, to, 1000);
            Exchange.bothOrders(scene, to, from, 1000);
        }
        MemorySegment in = scene.buffer(LARGE);
        Exchange.check(large, to.receive(in, 99), scene.pattern(LARGE, 1), in);
    }

    private static void tagPerThread(Scene scene, Link link) throws Exception {
        int rounds = scene.amount(Amount.TAG_ROUNDS);
        List<FutureTask<Integer>> threads = new ArrayList<>();
        for (int tag = 0; tag < scene.amount(Amount.TAG_THREADS); tag++) {
            int mine = tag;
            threads.add(
                    scene.inThread("client-" + tag, () -> ask(scene, link.client(), mine, rounds)));
            threads.add(
                    scene.inThread(
                            "server-" + tag, () -> answer(scene, link.server(), mine, rounds)));
        }
        for (FutureTask<Integer> thread : threads) {
            Expect.equal(thread.get(), rounds, "rounds of a thread");
        }
    }

    private static int ask(Scene scene, End end, int tag, int rounds) {
        MemorySegment memory = scene.buffer(64);
        int round = 0;
        for (; round < rounds; round++) {
            memory.set(ValueLayout.JAVA_LONG, 0, ((long) tag << 32) | round);
            Posted.finish(end.send(memory, tag));
            Posted.finish(end.receive(memory, tag));
            Expect.equal(
                    memory.get(ValueLayout.JAVA_LONG, 0),
                    ~(((long) tag << 32) | round),
                    "the answer");
        }
        return round;
    }

    private static int answer(Scene scene, End end, int tag, int rounds) {
        MemorySegment memory = scene.buffer(64);
        int round = 0;
        for (; round < rounds; round++) {
            Posted.finish(end.receive(memory, tag));
            long question = memory.get(ValueLayout.JAVA_LONG, 0);
            Expect.equal(question, ((long) tag << 32) | round, "the question");
            memory.set(ValueLayout.JAVA_LONG, 0, ~question);
            Posted.finish(end.send(memory, tag));
        }
        return round;
    }

    private static void earlyReply(Scene scene, Link link) {
        for (int size : new int[] {10, 5000, LARGE}) {
            Posted reply = link.server().send(scene.pattern(size, size), 5);
            MemorySegment in = scene.buffer(size);
            Expect.equal(
                    link.client().context().testContext(Completions.ofCapacity(1), 10),
                    0,
                    "completions of the client");
            Exchange.check(reply, link.client().receive(in, 5), scene.pattern(size, size), in);
        }
    }

    private static void tooSmallLate(Scene scene, End from, End to) {
        for (int size : new int[] {100, 5000, 100_000}) {
            MemorySegment out = scene.pattern(size, size);
            MemorySegment in = scene.pattern(size, 7);
            Posted send = from.send(out, 5);
            // Until it is known on the other side, and with it what was before it.
            MemorySegment marker = scene.pattern(1, size);
            MemorySegment marked = scene.buffer(1);
            Exchange.check(from.send(marker, 6), to.receive(marked, 6), marker, marked);
            Posted refused = to.receive(in.asSlice(0, size - 1), 5);
            Posted.finish(refused);
            refused.fails(ErrorCode.EPROTO);
            Expect.bytes(in, scene.pattern(size, 7), "the refused buffer");
            Exchange.check(send, to.receive(in, 5), out, in);
        }
    }

    private static void tooLargeLate(Scene scene, End from, End to) {
        for (int size : new int[] {100, 5000, 100_000}) {
            Posted receive = to.receive(scene.buffer(size - 1), 5);
            Posted next = to.receive(scene.buffer(size), 5);
            Posted send = from.send(scene.pattern(size, 1), 5);
            Posted.finish(send, receive);
            receive.fails(ErrorCode.EMSGSIZE);
            send.succeeds(size);
            next.staysPending();
            Posted.finish(from.send(scene.pattern(size, 2), 5), next);
            next.succeeds(size);
            Exchange.bothOrders(scene, from, to, size);
        }
    }

    private static void randomOrder(Scene scene, End from, End to) {
        int tags = 4;
        int[] sent = new int[tags];
        int[] received = new int[tags];
        List<Posted> open = new ArrayList<>();
        List<MemorySegment> in = new ArrayList<>();
        List<Long> expected = new ArrayList<>();
        for (int step = 0; step < 1000; step++) {
            int tag = scene.random().nextInt(tags);
            boolean sends = scene.random().nextBoolean();
            if (sends ? sent[tag] - received[tag] > 20 : received[tag] - sent[tag] > 20) {
                sends = !sends;
            }
            post(scene, sends ? from : to, sends, tag, sends ? sent : received, open, in, expected);
            if (step % 50 == 0) {
                open.removeIf(posted -> posted.isDone(0));
            }
        }
        for (int tag = 0; tag < tags; tag++) {
            while (sent[tag] < received[tag]) {
                post(scene, from, true, tag, sent, open, in, expected);
            }
            while (received[tag] < sent[tag]) {
                post(scene, to, false, tag, received, open, in, expected);
            }
        }
        Posted.finish(open.toArray(new Posted[0]));
        for (int i = 0; i < in.size(); i++) {
            Expect.equal(
                    in.get(i).get(ValueLayout.JAVA_LONG, 0), (long) expected.get(i), "a message");
        }
    }

    private static void post(
            Scene scene,
            End end,
            boolean sends,
            int tag,
            int[] counts,
            List<Posted> open,
            List<MemorySegment> in,
            List<Long> expected) {
        int number = counts[tag]++;
        long value = ((long) tag << 32) | number;
        MemorySegment memory = scene.buffer(8 + (number % 5 == 0 ? 3000 : 0));
        if (sends) {
            memory.set(ValueLayout.JAVA_LONG, 0, value);
        } else {
            in.add(memory);
            expected.add(value);
        }
        open.add(post(scene.random(), end, sends, memory, tag));
    }

    /** Posts with a list, with a deadline, or plainly: the kind must not matter for the order. */
    private static Posted post(
            Random random, End end, boolean sends, MemorySegment memory, int tag) {
        int kind = random.nextInt(3);
        if (kind == 0) {
            int border = random.nextInt((int) memory.byteSize() + 1);
            MemorySegment[] list = {memory.asSlice(0, border), memory.asSlice(border)};
            return sends ? end.sendList(list, tag) : end.receiveList(list, tag);
        }
        PostOptions options =
                kind == 1 ? PostOptions.NONE.withDeadlineMs(LATE_MS) : PostOptions.NONE;
        return sends
                ? end.send(memory, tag, null, options)
                : end.receive(memory, tag, null, options);
    }
}
