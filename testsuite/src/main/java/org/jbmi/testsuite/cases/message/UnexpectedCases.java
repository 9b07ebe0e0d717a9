package org.jbmi.testsuite.cases.message;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
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
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;

/** Group H, first part: how unexpected messages are sent, taken and told apart. */
public final class UnexpectedCases {
    private static final long PROMPT_NS = 5_000_000_000L;

    private UnexpectedCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        list.group('H')
                .add(98, "simple unexpected message", UnexpectedCases::simple)
                .add(103, "a thousand messages in order", UnexpectedCases::order)
                .add(104, "less room than messages", UnexpectedCases::littleRoom)
                .add(106, "no idle time", UnexpectedCases::noIdleTime)
                .add(107, "blocked test wakes up", UnexpectedCases::wakesUp)
                .add(108, "several threads wait", UnexpectedCases::severalWaiters)
                .add(109, "unexpected matches no receive", UnexpectedCases::matchesNoReceive)
                .add(110, "expected is never unexpected", UnexpectedCases::expectedIsNot)
                .add(111, "classes", UnexpectedCases::classes)
                .add(112, "listeners with tag ranges", UnexpectedCases::tagRanges)
                .add(303, "listener closes and gives back", UnexpectedCases::listenerGivesBack);
    }

    private static void simple(Scene scene, Link link) {
        Bmi server = link.server().bmi();
        for (int size : new int[] {1, 64, 65, 1000, 4096}) {
            MemorySegment out = scene.pattern(size, size);
            int messageClass = scene.can(Capability.NO_CLASSES) ? 0 : size % 256;
            Posted send = link.client().sendUnexpected(out, -size, messageClass);
            UnexpectedMessages messages = scene.receiveUnexpected(server, send, messageClass);
            Expect.equal(messages.count(), 1, "the count of messages");
            Expect.equal(messages.outcome(0), ErrorCode.SUCCESS, "the error code of the message");
            Expect.equal(messages.tag(0), -size, "the tag");
            Expect.equal(messages.messageClass(0), messageClass, "the class");
            Expect.equal(messages.sizeBytes(0), size, "the size");
            Expect.equal(messages.peer(0), link.server().peer(), "the sender");
            Expect.bytes(messages.payload(0), out, "the bytes");
            if (size % 2 == 0) {
                messages.free(0);
            } else {
                server.unexpectedFree(messages.payload(0));
            }
        }
    }

    private static void order(Scene scene, Link link) {
        int count = 1000;
        MemorySegment all = scene.buffer(count * 8L);
        List<Posted> sends = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            MemorySegment message = all.asSlice(i * 8L, 8);
            message.set(ValueLayout.JAVA_LONG, 0, i);
            sends.add(link.client().sendUnexpected(message, i, 0));
        }
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(7);
        int[] next = new int[1];
        Expect.eventually(
                () -> {
                    sends.removeIf(send -> send.isDone(0));
                    drainInOrder(link.server().bmi(), messages, next);
                    return next[0] == count;
                },
                "all messages arrive");
        Posted.finish(sends.toArray(new Posted[0]));
    }

    private static void drainInOrder(Bmi server, UnexpectedMessages messages, int[] next) {
        while (server.testUnexpected(messages, 0) > 0) {
            for (int k = 0; k < messages.count(); k++) {
                long value = messages.memory(k).get(ValueLayout.JAVA_LONG, messages.offset(k));
                Expect.equal(value, next[0], "the number in the message");
                Expect.equal(messages.tag(k), next[0], "the tag of the message");
                messages.free(k);
                next[0]++;
            }
        }
    }

    private static void littleRoom(Scene scene, Link link) {
        List<Posted> sends = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            sends.add(link.client().sendUnexpected(scene.pattern(8, i), i, 0));
        }
        Posted.finish(sends.toArray(new Posted[0]));
        Exchange.bothOrders(scene, link.client(), link.server(), 8); // so all have come
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(3);
        int tag = 0;
        for (int expected : new int[] {3, 3, 3, 1, 0}) {
            int count = link.server().bmi().testUnexpected(messages, 0);
            Expect.equal(count, expected, "how many messages come out");
            Expect.equal(messages.count(), expected, "the count in the room");
            for (int k = 0; k < count; k++) {
                Expect.equal(messages.tag(k), tag++, "the tag");
                messages.free(k);
            }
        }
    }

    private static void noIdleTime(Scene scene) {
        Bmi server = scene.link().server().bmi();
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(4);
        long startNs = System.nanoTime();
        for (int i = 0; i < 1000; i++) {
            Expect.equal(server.testUnexpected(messages, 0), 0, "how many messages there are");
        }
        Expect.that(System.nanoTime() - startNs < PROMPT_NS, "a thousand looks take no 5 ms each");
    }

    private static void wakesUp(Scene scene, Link link) throws Exception {
        Wakes.expectPrompt(() -> timeToWakeUp(scene, link), "the blocked test");
    }

    private static long timeToWakeUp(Scene scene, Link link) throws Exception {
        Bmi server = link.server().bmi();
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        FutureTask<Long> waiter =
                scene.inThread(
                        "waiter",
                        () -> {
                            int count = server.testUnexpected(messages, 20_000);
                            Expect.equal(count, 1, "what the blocked test returns");
                            return System.nanoTime();
                        });
        Thread.sleep(100);
        Expect.that(!waiter.isDone(), "the test blocks while there is no message");
        long sentNs = System.nanoTime();
        link.client().sendUnexpected(scene.pattern(10, 1), 1, 0).succeeds(10);
        long lateNs = waiter.get() - sentNs;
        messages.free(0);
        return lateNs;
    }

    private static void severalWaiters(Scene scene, Link link) throws Exception {
        Bmi server = link.server().bmi();
        List<FutureTask<Integer>> waiters = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiters.add(
                    scene.inThread(
                            "waiter-" + i,
                            () -> {
                                UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
                                int count = server.testUnexpected(one, 20_000);
                                Expect.equal(count, 1, "what each thread gets");
                                int tag = one.tag(0);
                                one.free(0);
                                return tag;
                            }));
        }
        for (int tag = 0; tag < 4; tag++) {
            link.client().sendUnexpected(scene.pattern(10, tag), 1 << tag, 0).succeeds(10);
        }
        int sum = 0;
        for (FutureTask<Integer> waiter : waiters) {
            sum += waiter.get();
        }
        Expect.equal(sum, 15, "the sum of the tags");
    }

    private static void matchesNoReceive(Scene scene, Link link) {
        Posted receive = link.server().receive(scene.buffer(100), 5);
        Posted send = link.client().sendUnexpected(scene.pattern(100, 1), 5, 0);
        scene.receiveUnexpected(link.server().bmi(), send).free(0);
        receive.staysPending();
        Posted.finish(link.client().send(scene.pattern(50, 1), 5), receive);
        receive.succeeds(50);
    }

    private static void expectedIsNot(Scene scene, Link link) {
        Bmi server = link.server().bmi();
        Posted send = link.client().send(scene.pattern(100, 1), 5);
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(4);
        for (int messageClass = 0; messageClass < 256; messageClass += 51) {
            Expect.equal(server.testUnexpected(messageClass, messages, 1), 0, "unexpected ones");
        }
        Posted.finish(send, link.server().receive(scene.buffer(100), 5));
    }

    private static void classes(Scene scene, Link link) {
        End client = link.client();
        Bmi server = link.server().bmi();
        Posted zero = client.sendUnexpected(scene.pattern(10, 0), 1, 0);
        Posted five = client.sendUnexpected(scene.pattern(10, 5), 2, 5);
        Posted last = client.sendUnexpected(scene.pattern(10, 255), 3, 255);
        Posted.finish(zero, five, last);
        expectOne(server, 5, 2);
        expectOne(server, 255, 3);
        expectOne(server, 0, 1);
    }

    private static void expectOne(Bmi server, int messageClass, int tag) {
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(4);
        Expect.eventually(
                () -> server.testUnexpected(messageClass, messages, 5) == 1,
                "a message of class " + messageClass + " arrives alone");
        Expect.equal(messages.tag(0), tag, "its tag");
        Expect.equal(messages.messageClass(0), messageClass, "its class");
        messages.free(0);
        Expect.equal(server.testUnexpected(messageClass, messages, 0), 0, "further ones");
    }

    private static void tagRanges(Scene scene, Link link) {
        Bmi server = link.server().bmi();
        try (UnexpectedListener low = server.openListener(UnexpectedFilter.ofTags(0, 65_536));
                UnexpectedListener high =
                        server.openListener(UnexpectedFilter.ofTags(65_537, 73_536))) {
            int[] tags = {0, 70_000, 65_536, 65_537, -1, 73_536, 73_537, 1};
            List<Posted> sends = new ArrayList<>();
            for (int tag : tags) {
                sends.add(link.client().sendUnexpected(scene.pattern(8, tag), tag, 0));
            }
            Posted.finish(sends.toArray(new Posted[0]));
            expectTags(low::test, 0, 65_536, 1);
            expectTags(high::test, 70_000, 65_537, 73_536);
            expectTags(server::testUnexpected, -1, 73_537);
        }
    }

    private static void listenerGivesBack(Scene scene, Link link) {
        Bmi server = link.server().bmi();
        UnexpectedListener even = server.openListener(UnexpectedFilter.ofTags(2, 2));
        for (int tag : new int[] {1, 2, 3, 2, 1}) {
            link.client().sendUnexpected(scene.pattern(8, tag), tag, 0).succeeds(8);
        }
        expectTags(server::testUnexpected, 1);
        even.close();
        expectTags(server::testUnexpected, 2, 3, 2, 1);
        try (UnexpectedListener late = server.openListener(UnexpectedFilter.ALL)) {
            int messageClass = scene.can(Capability.NO_CLASSES) ? 0 : 9;
            link.client().sendUnexpected(scene.pattern(8, 4), 4, messageClass).succeeds(8);
            expectTags(late::test, 4);
        }
    }

    private interface Taker {
        int test(UnexpectedMessages messages, long idleMs);
    }

    /** Takes one message for each tag, in this order. */
    private static void expectTags(Taker taker, int... tags) {
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        for (int tag : tags) {
            Expect.eventually(
                    () -> taker.test(one, 5) == 1, "a message with tag " + tag + " comes");
            Expect.equal(one.tag(0), tag, "the tag");
            one.free(0);
        }
    }
}
