package org.jbmi.testsuite.cases.message;

import org.jbmi.ErrorCode;
import org.jbmi.PostOptions;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jbmi.testsuite.cases.common.Exchange;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Group G: lists of buffers. */
public final class ListCases {
    private static final PostOptions POOL_ONLY = PostOptions.NONE.withPoolOnly();

    private ListCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        list.group('G')
                .add(84, "list to contiguous and back", ListCases::contiguous)
                .add(85, "borders that differ", ListCases::differentBorders)
                .add(86, "gaps stay untouched", ListCases::gaps)
                .add(88, "list of one", ListCases::listOfOne)
                .add(89, "total that is not the sum", ListCases::wrongTotal)
                .add(90, "empty list", ListCases::emptyList)
                .add(91, "long lists", ListCases::longLists)
                .add(
                        92,
                        "list inside one block of the pool",
                        ListCases::insideOneBlock,
                        Capability.SERVER_POOL,
                        Capability.TEMPORARY_BLOCKS)
                .add(
                        93,
                        "pool-only list with one foreign buffer",
                        ListCases::oneOutside,
                        Capability.STRICT_POOL_ONLY)
                .add(94, "short message into a list", ListCases::shortIntoList)
                .add(95, "overlapping buffers of a receive", ListCases::overlapping)
                .add(97, "unexpected message from a list", ListCases::unexpected)
                .add(301, "random borders on both sides", ListCases::randomBorders)
                .add(302, "the caller's array is captured", ListCases::captured);
    }

    private static MemorySegment[] split(MemorySegment memory, long... sizes) {
        MemorySegment[] parts = new MemorySegment[sizes.length];
        long offset = 0;
        for (int i = 0; i < sizes.length; i++) {
            parts[i] = memory.asSlice(offset, sizes[i]);
            offset += sizes[i];
        }
        return parts;
    }

    private static void contiguous(Scene scene, End from, End to) {
        MemorySegment out = scene.pattern(6144, 1);
        MemorySegment in = scene.buffer(6144);
        Posted receive = to.receive(in, 1);
        Posted send = from.sendList(split(out, 1024, 2048, 3072), 1);
        Exchange.check(send, receive, out, in);
        in.fill((byte) 0);
        send = from.send(out, 1);
        receive = to.receiveList(split(in, 1024, 2048, 3072), 1);
        Exchange.check(send, receive, out, in);
    }

    private static void differentBorders(Scene scene, End from, End to) {
        MemorySegment out = scene.pattern(6144, 2);
        MemorySegment in = scene.buffer(6144);
        Posted receive = to.receiveList(split(in, 3072, 3072), 1);
        Posted send = from.sendList(split(out, 1024, 2048, 3072), 1);
        Exchange.check(send, receive, out, in);
    }

    private static void gaps(Scene scene, End from, End to) {
        MemorySegment out = scene.pattern(9, 3);
        MemorySegment in = scene.buffer(15);
        in.fill((byte) '-');
        MemorySegment[] parts = {in.asSlice(0, 3), in.asSlice(6, 3), in.asSlice(12, 3)};
        Posted receive = to.receiveList(parts, 1);
        Posted send = from.send(out, 1);
        Posted.finish(send, receive);
        receive.succeeds(9);
        for (int i = 0; i < 3; i++) {
            Expect.bytes(parts[i], out.asSlice(3L * i, 3), "fragment " + i);
        }
        for (int i : new int[] {3, 4, 5, 9, 10, 11}) {
            Expect.equal(in.get(ValueLayout.JAVA_BYTE, i), '-', "byte " + i);
        }
    }

    private static void listOfOne(Scene scene, End from, End to) {
        MemorySegment out = scene.pattern(777, 4);
        MemorySegment in = scene.buffer(777);
        Posted send = from.sendList(split(out, 777), 1);
        Posted receive = to.receiveList(split(in, 777), 1);
        Exchange.check(send, receive, out, in);
    }

    private static void wrongTotal(Scene scene, End from, End to) {
        MemorySegment[] parts = split(scene.buffer(100), 40, 60);
        for (long total : new long[] {99, 101, 0, -1, 1L << 40}) {
            refusedTotal(from, parts, total);
        }
        Exchange.bothOrders(scene, from, to, 100);
    }

    private static void refusedTotal(End end, MemorySegment[] parts, long total) {
        Expect.refusal(
                ErrorCode.EINVAL,
                () ->
                        end.context()
                                .postSendList(end.peer(), parts, total, 1, null, PostOptions.NONE),
                "a send with a total of " + total);
        Expect.refusal(
                ErrorCode.EINVAL,
                () ->
                        end.context()
                                .postReceiveList(
                                        end.peer(), parts, total, 1, null, PostOptions.NONE),
                "a receive with a total of " + total);
    }

    private static void emptyList(Scene scene, End from, End to) {
        MemorySegment[] none = {};
        MemorySegment nothing = scene.buffer(0);
        Posted receive = to.receive(scene.buffer(10), 1);
        Exchange.check(from.sendList(none, 1), receive, nothing, nothing);
        Posted send = from.send(nothing, 1);
        Exchange.check(send, to.receiveList(none, 1), nothing, nothing);
    }

    private static void longLists(Scene scene, Link link) throws Exception {
        link.bothWays(
                (from, to) -> {
                    for (int count : new int[] {64, 330, 1024, 4096}) {
                        MemorySegment out = scene.pattern(count * 17L, count);
                        MemorySegment in = scene.buffer(count * 17L);
                        long[] sizes = new long[count];
                        Arrays.fill(sizes, 17);
                        Posted send = from.sendList(split(out, sizes), 1);
                        Exchange.check(send, to.receiveList(split(in, sizes), 1), out, in);
                    }
                });
        if (scene.can(Capability.LIST_LIMIT)) {
            MemorySegment[] endless = new MemorySegment[1_000_000];
            Arrays.fill(endless, scene.buffer(0));
            link.bothWays(
                    (from, to) -> {
                        Expect.refusal(
                                ErrorCode.EINVAL,
                                () -> from.sendList(endless, 1),
                                "a list of a million buffers");
                        Exchange.bothOrders(scene, from, to, 100);
                    });
        }
    }

    private static void insideOneBlock(Scene scene, Link link) {
        End server = link.server();
        String copies = scene.fixture().serverCopiesCounter();
        if (copies == null) {
            throw new IllegalStateException("The fixture names no counter of copies.");
        }
        MemorySegment block = Scene.memalloc(server, 100_000);
        MemorySegment[] parts = {
            block.asSlice(64, 3000), block.asSlice(90_000, 10), block.asSlice(4096, 30_000)
        };
        long before = Scene.counter(server.bmi(), copies);
        MemorySegment out = scene.pattern(33_010, 8);
        MemorySegment in = scene.buffer(33_010);
        Posted receive =
                new Posted(
                        server.context(),
                        server.context()
                                .postReceiveList(server.peer(), parts, 33_010, 1, null, POOL_ONLY));
        Posted send = link.client().send(out, 1);
        Posted.finish(send, receive);
        receive.succeeds(33_010);
        receive = link.client().receive(in, 1);
        send =
                new Posted(
                        server.context(),
                        server.context()
                                .postSendList(server.peer(), parts, 33_010, 1, null, POOL_ONLY));
        Exchange.check(send, receive, out, in);
        Expect.equal(Scene.counter(server.bmi(), copies) - before, 0, "copies on the server");
        server.bmi().free(block);
    }

    private static void oneOutside(Scene scene, Link link) {
        End server = link.server();
        MemorySegment block = Scene.memalloc(server, 5000);
        MemorySegment[] parts = split(block, 1000, 1000, 1000, 1000, 1000);
        parts[2] = MemorySegment.ofArray(new byte[1000]);
        Expect.code(
                server.context().postSendList(server.peer(), parts, 5000, 1, null, POOL_ONLY),
                ErrorCode.EINVAL,
                "the send of a list with a foreign buffer");
        Expect.code(
                server.context().postReceiveList(server.peer(), parts, 5000, 1, null, POOL_ONLY),
                ErrorCode.EINVAL,
                "the receive of a list with a foreign buffer");
        server.bmi().free(block);
        Exchange.bothOrders(scene, server, link.client(), 5000);
    }

    private static void shortIntoList(Scene scene, End from, End to) {
        MemorySegment out = scene.pattern(2500, 9);
        MemorySegment in = MemorySegment.ofArray(new byte[4000]);
        in.fill((byte) 7);
        MemorySegment[] parts = split(in, 1000, 0, 1000, 1000, 1000);
        Posted receive = to.receiveList(parts, 1);
        Posted send = from.send(out, 1);
        Exchange.check(send, receive, out, in);
        for (int i = 2500; i < 4000; i++) {
            Expect.equal(in.get(ValueLayout.JAVA_BYTE, i), 7, "byte " + i);
        }
    }

    private static void overlapping(Scene scene, End from, End to) {
        MemorySegment out = scene.pattern(200, 10);
        MemorySegment in = scene.buffer(100);
        Posted receive = to.receiveList(new MemorySegment[] {in, in}, 1);
        Posted send = from.send(out, 1);
        Posted.finish(send, receive);
        receive.succeeds(200);
        Expect.bytes(in, out.asSlice(100), "the last write");
    }

    private static void unexpected(Scene scene, Link link) {
        End client = link.client();
        MemorySegment out = scene.pattern(600, 11);
        MemorySegment[] parts = split(out, 100, 200, 300);
        Posted send =
                new Posted(
                        client.context(),
                        client.context()
                                .postSendUnexpectedList(
                                        client.peer(), parts, 600, 4, 0, null, PostOptions.NONE));
        UnexpectedMessages messages = scene.receiveUnexpected(link.server().bmi(), send);
        Expect.bytes(messages.payload(0), out, "the message in one piece");
        messages.free(0);
    }

    private static void randomBorders(Scene scene, Link link) throws Exception {
        for (int round = 0; round < 200; round++) {
            int size = 1 + scene.random().nextInt(10_000);
            MemorySegment out = scene.pattern(size, round);
            MemorySegment in = scene.buffer(size);
            MemorySegment[] from = split(out, randomSizes(scene, size));
            MemorySegment[] to = split(in, randomSizes(scene, size));
            link.bothWays(
                    (sender, receiver) -> {
                        in.fill((byte) 0);
                        Posted send = sender.sendList(from, 1);
                        Exchange.check(send, receiver.receiveList(to, 1), out, in);
                    });
        }
    }

    private static long[] randomSizes(Scene scene, int total) {
        int count = 1 + scene.random().nextInt(20);
        long[] sizes = new long[count];
        int left = total;
        for (int i = 0; i < count - 1; i++) {
            sizes[i] = scene.random().nextInt(left + 1);
            left -= (int) sizes[i];
        }
        sizes[count - 1] = left;
        return sizes;
    }

    private static void captured(Scene scene, End from, End to) {
        for (int count : new int[] {1, 2, 8, 9, 100, 1000}) {
            captured(scene, from, to, count);
        }
    }

    private static void captured(Scene scene, End from, End to, int count) {
        long[] sizes = new long[count];
        Arrays.fill(sizes, 30);
        MemorySegment out = scene.pattern(30L * count, count);
        MemorySegment in = scene.buffer(30L * count);
        MemorySegment[] sendParts = split(out, sizes);
        MemorySegment[] receiveParts = split(in, sizes);
        Posted receive = to.receiveList(receiveParts, 1);
        Arrays.fill(receiveParts, scene.buffer(0));
        Posted send = from.sendList(sendParts, 1);
        Arrays.fill(sendParts, scene.buffer(0));
        Exchange.check(send, receive, out, in);
    }
}
