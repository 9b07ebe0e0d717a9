package org.jbmi.testsuite.cases.message;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
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

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Group F, first part: expected messages of all sizes and tags. */
public final class ExpectedCases {
    private static final int[] SIZES = {1, 63, 64, 65, 100, 1000, 5000, 100_000};

    /** Messages that a method may send in different ways: it may round their sizes differently. */
    private static final int[] SHORTER = {1, 15, 100, 1000, 4000, 15_000};

    /** So many bytes of a receive stay free behind a message at least. */
    private static final int SHORTER_ROOM = 2000;

    /** A method that moves short messages at once may leave a send of this size pending. */
    private static final int DATA_BYTES = 100_000;

    private static final long SWEEP_MAX = 16L << 20;
    private static final long SMALL_LIMIT = 1L << 20;

    private ExpectedCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        list.group('F')
                .add(62, "receive first", ExpectedCases::receiveFirst)
                .add(63, "send first", ExpectedCases::sendFirst)
                .add(64, "zero-length message", ExpectedCases::zeroLength)
                .add(65, "sizes around the powers of two", 60, ExpectedCases::powersOfTwo)
                .add(66, "exactly the maximum", 60, ExpectedCases::maximum)
                .add(67, "send of one byte more than the maximum", ExpectedCases::sendTooLong)
                .add(68, "receive of one byte more than the maximum", ExpectedCases::receiveTooLong)
                .add(69, "message shorter than its receive", ExpectedCases::shorter)
                .add(71, "sizes around the eager limits", ExpectedCases::aroundEager)
                .add(72, "user data comes back", ExpectedCases::userData)
                .add(73, "no user data", ExpectedCases::noUserData)
                .add(80, "both directions at once", 180, ExpectedCases::bothDirections)
                .add(81, "talking to oneself", ExpectedCases::selfSend, Capability.SELF_SEND)
                .add(82, "tags over all 32 bits", ExpectedCases::tags)
                .add(
                        83,
                        "a server sends to its own address",
                        ExpectedCases::onlyTheServer,
                        Capability.SINGLE_ADDRESS);
    }

    private static void receiveFirst(Scene scene, End from, End to) {
        for (int size : SIZES) {
            Exchange.receiveFirst(from, to, scene.pattern(size, size), scene.buffer(size));
        }
    }

    private static void sendFirst(Scene scene, End from, End to) {
        for (int size : SIZES) {
            Exchange.sendFirst(from, to, scene.pattern(size, size), scene.buffer(size));
        }
    }

    private static void zeroLength(Scene scene, End from, End to) {
        MemorySegment nothing = scene.buffer(0);
        MemorySegment room = scene.pattern(50, 1);
        MemorySegment before = scene.pattern(50, 1);
        Exchange.receiveFirst(from, to, nothing, nothing);
        Exchange.sendFirst(from, to, nothing, nothing);
        Exchange.receiveFirst(from, to, nothing, room);
        Exchange.sendFirst(from, to, nothing, room);
        Expect.bytes(room, before, "the untouched room");
    }

    private static void powersOfTwo(Scene scene, Link link) throws Exception {
        long most = Math.min(SWEEP_MAX, Scene.maxExpected(link.client()));
        MemorySegment out = scene.pattern(most, 3);
        MemorySegment in = scene.buffer(most);
        link.bothWays(
                (from, to) -> {
                    for (long power = 1; power <= most; power *= 2) {
                        for (long size = power - 1; size <= Math.min(power + 1, most); size++) {
                            // What came before must not pass for what comes now.
                            MemorySegment part = out.asSlice(most - size, size);
                            MemorySegment first = in.asSlice(0, size).fill((byte) 0);
                            Exchange.receiveFirst(from, to, part, first);
                            MemorySegment second = in.asSlice(most - size, size).fill((byte) 0);
                            Exchange.sendFirst(from, to, part, second);
                        }
                    }
                });
    }

    private static void maximum(Scene scene) throws Exception {
        long largest = scene.fixture().largestExpectedBytes();
        if (largest > 0) {
            long pool = largest + largest / 8;
            scene.settings(EnvironmentSettings.DEFAULT.withMaxExpected(largest).withPool(pool));
        }
        Link link = scene.link();
        long most = Scene.maxExpected(link.client());
        Expect.that(largest == 0 || most == largest, "the limit is the method's own: " + most);
        Expect.equal(Scene.maxExpected(link.server()), most, "the server's limit");
        MemorySegment out = scene.pattern(most, 4);
        MemorySegment in = scene.buffer(most);
        link.bothWays(
                (from, to) -> {
                    Exchange.receiveFirst(from, to, out, in.fill((byte) 0));
                    Exchange.sendFirst(from, to, out, in.fill((byte) 0));
                });
    }

    private static void sendTooLong(Scene scene) throws Exception {
        scene.settings(EnvironmentSettings.DEFAULT.withMaxExpected(SMALL_LIMIT));
        scene.link()
                .bothWays(
                        (from, to) -> {
                            Expect.equal(Scene.maxExpected(from), SMALL_LIMIT, "the limit");
                            from.send(scene.buffer(SMALL_LIMIT + 1), 7)
                                    .isRefused(ErrorCode.EMSGSIZE);
                            Exchange.bothOrders(scene, from, to, SMALL_LIMIT);
                        });
    }

    private static void receiveTooLong(Scene scene) throws Exception {
        scene.settings(EnvironmentSettings.DEFAULT.withMaxExpected(SMALL_LIMIT));
        scene.link()
                .bothWays(
                        (from, to) -> {
                            to.receive(scene.buffer(SMALL_LIMIT + 1), 7)
                                    .isRefused(ErrorCode.EMSGSIZE);
                            Exchange.bothOrders(scene, from, to, SMALL_LIMIT);
                        });
    }

    private static void shorter(Scene scene, End from, End to) {
        for (int size : SHORTER) {
            shorter(scene, from, to, size, true);
            shorter(scene, from, to, size, false);
        }
    }

    private static void shorter(Scene scene, End from, End to, int size, boolean receiveFirst) {
        int room = 2 * size + SHORTER_ROOM;
        MemorySegment out = scene.pattern(size, 5);
        MemorySegment in = scene.pattern(room, 6);
        MemorySegment before = scene.pattern(room, 6);
        if (receiveFirst) {
            Exchange.receiveFirst(from, to, out, in);
        } else {
            Exchange.sendFirst(from, to, out, in);
        }
        Expect.bytes(
                in.asSlice(size),
                before.asSlice(size),
                "the bytes behind a message of " + size + " bytes");
    }

    private static void aroundEager(Scene scene, End from, End to) {
        for (int limit : new int[] {64, 1024, 4096, 8192, 16_384}) {
            for (int size = limit - 1; size <= limit + 1; size++) {
                Exchange.bothOrders(scene, from, to, size);
            }
        }
    }

    private static void userData(Scene scene, Link link) throws Exception {
        userDataOfUnexpected(scene, link);
        link.bothWays(
                (from, to) -> {
                    List<Object> data = new ArrayList<>();
                    List<Posted> receives = new ArrayList<>();
                    for (int tag = 0; tag < 10; tag++) {
                        Object mine = "data of " + tag;
                        data.add(mine);
                        receives.add(to.receive(scene.buffer(4), tag, mine, PostOptions.NONE));
                    }
                    for (int tag = 9; tag >= 0; tag--) {
                        Posted send = from.send(scene.pattern(4, tag), tag);
                        Posted.finish(send, receives.get(tag));
                        Expect.same(receives.get(tag).data(), data.get(tag), "the user data");
                    }
                    userDataOfSends(scene, from, to);
                });
    }

    private static void userDataOfUnexpected(Scene scene, Link link) {
        End client = link.client();
        Object mine = "data of an unexpected message";
        Posted send =
                new Posted(
                        client.context(),
                        client.context()
                                .postSendUnexpected(
                                        client.peer(),
                                        scene.pattern(4, 1),
                                        1,
                                        0,
                                        mine,
                                        PostOptions.NONE));
        scene.receiveUnexpected(link.server().bmi(), send).free(0);
        if (send.wasPending()) {
            Expect.same(send.data(), mine, "the user data of an unexpected send");
        }
    }

    /** A send that is done in its post reports no completion, so nothing can come back. */
    private static void userDataOfSends(Scene scene, End from, End to) {
        MemorySegment out = scene.pattern(DATA_BYTES, 1);
        MemorySegment[] halves = {out.asSlice(0, DATA_BYTES / 2), out.asSlice(DATA_BYTES / 2)};
        Object mine = "data of a send";
        Object ofList = "data of a list";
        CompletionContext context = from.context();
        Posted[] sends = {
            from.send(out, 1, mine, PostOptions.NONE),
            new Posted(
                    context,
                    context.postSendList(
                            from.peer(), halves, DATA_BYTES, 2, ofList, PostOptions.NONE))
        };
        Object[] data = {mine, ofList};
        for (int i = 0; i < sends.length; i++) {
            Posted.finish(sends[i], to.receive(scene.buffer(DATA_BYTES), 1 + i));
            if (sends[i].wasPending()) {
                Expect.same(sends[i].data(), data[i], "the user data of a send");
            }
        }
    }

    private static void noUserData(Scene scene, End from, End to) {
        Posted receive = to.receive(scene.buffer(4), 1);
        Posted.finish(from.send(scene.pattern(4, 1), 1), receive);
        Expect.equal(receive.data(), null, "the data of a post without data");
    }

    private static void bothDirections(Scene scene, Link link) {
        End a = link.client();
        End b = link.server();
        MemorySegment[] in = {scene.buffer(16), scene.buffer(16)};
        MemorySegment[] out = {scene.buffer(16), scene.buffer(16)};
        for (int round = 0; round < 10_000; round++) {
            out[0].set(ValueLayout.JAVA_INT, 0, round);
            out[1].set(ValueLayout.JAVA_INT, 0, ~round);
            Posted[] posts = {
                a.receive(in[0], 9), b.receive(in[1], 9), a.send(out[0], 9), b.send(out[1], 9)
            };
            Posted.finish(posts);
            for (Posted post : posts) {
                post.succeeds(16);
            }
            Expect.equal(in[1].get(ValueLayout.JAVA_INT, 0), round, "what a sent");
            Expect.equal(in[0].get(ValueLayout.JAVA_INT, 0), ~round, "what b sent");
        }
    }

    private static void selfSend(Scene scene) {
        Bmi bmi = scene.server();
        PeerAddress self = bmi.lookup(scene.environment().serverAddress(0));
        End end = new End(bmi, self);
        MemorySegment out = scene.buffer(100);
        MemorySegment in = scene.buffer(100);
        for (int round = 0; round < 10_000; round++) {
            out.set(ValueLayout.JAVA_INT, 0, round);
            if ((round & 1) == 0) {
                Exchange.receiveFirst(end, end, out, in);
            } else {
                Exchange.sendFirst(end, end, out, in);
            }
        }
        Posted hello = end.sendUnexpected(out, 5, 0);
        UnexpectedMessages one = scene.receiveUnexpected(bmi, hello);
        Expect.equal(one.tag(0), 5, "the tag of the unexpected message");
        Expect.bytes(one.payload(0), out, "its bytes");
        one.free(0);
    }

    private static void tags(Scene scene, End from, End to) {
        int[] tags = {Integer.MIN_VALUE, -65_536, -1, 0, 1, 255, 256, 65_536, Integer.MAX_VALUE};
        MemorySegment[] in = new MemorySegment[tags.length];
        Posted[] receives = new Posted[tags.length];
        for (int i = 0; i < tags.length; i++) {
            in[i] = scene.buffer(100);
            receives[i] = to.receive(in[i], tags[i]);
        }
        for (int i = tags.length - 1; i >= 0; i--) {
            MemorySegment out = scene.pattern(100, tags[i]);
            Posted send = from.send(out, tags[i]);
            Exchange.check(send, receives[i], out, in[i]);
        }
    }

    private static void onlyTheServer(Scene scene, Link link) {
        CompletionContext context = link.server().context();
        PeerAddress self;
        try {
            self = link.server().bmi().lookup(scene.environment().serverAddress(0));
        } catch (BmiException e) {
            return;
        }
        long result = context.postSend(self, scene.buffer(4), 1);
        Expect.that(result < 0, "a server cannot send to servers");
    }
}
