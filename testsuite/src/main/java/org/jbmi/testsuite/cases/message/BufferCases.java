package org.jbmi.testsuite.cases.message;

import org.jbmi.Bmi;
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

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Group F, second part: which memory may be used, and who owns it when. */
public final class BufferCases {
    private static final PostOptions POOL_ONLY = PostOptions.NONE.withPoolOnly();

    private BufferCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        list.group('F')
                .add(74, "unaligned buffers", BufferCases::unaligned)
                .add(75, "pool-only on a client, foreign memory", BufferCases::poolOnlyOnClient)
                .add(
                        76,
                        "pool-only on a server, foreign memory",
                        BufferCases::poolOnlyOnServer,
                        Capability.STRICT_POOL_ONLY)
                .add(
                        77,
                        "pool-only with memory of the pool that is not allocated",
                        BufferCases::poolOnlyFreed,
                        Capability.STRICT_POOL_ONLY)
                .add(78, "foreign memory on a server", BufferCases::foreignOnServer)
                .add(79, "buffer used again after the send", BufferCases::reuse)
                .add(300, "memory that not every thread may use", BufferCases::refusedMemory);
    }

    private static void unaligned(Scene scene, Link link) throws Exception {
        String counter = scene.fixture().unalignedCounter();
        Bmi server = link.server().bmi();
        long before = counter == null ? 0 : Scene.counter(server, counter);
        MemorySegment out = scene.pattern(5000, 1);
        MemorySegment in = scene.buffer(5000);
        link.bothWays(
                (from, to) -> {
                    for (int shift = 1; shift <= 15; shift++) {
                        int size = 4000 + shift;
                        Exchange.receiveFirst(
                                from, to, out.asSlice(shift, size), in.asSlice(16 - shift, size));
                        Exchange.sendFirst(
                                from, to, out.asSlice(16 - shift, size), in.asSlice(shift, size));
                    }
                });
        if (counter != null) {
            Expect.that(Scene.counter(server, counter) > before, counter + " rises");
        }
    }

    private static void poolOnlyOnClient(Scene scene, Link link) {
        MemorySegment out = MemorySegment.ofArray(new byte[3000]);
        MemorySegment in = scene.buffer(3000);
        Scene.fill(out, 8);
        Posted send = link.client().send(out, 1, null, POOL_ONLY);
        Exchange.check(send, link.server().receive(in, 1), out, in);
        Posted receive = link.client().receive(out, 1, null, POOL_ONLY);
        Scene.fill(in, 9);
        Exchange.check(link.server().send(in, 1), receive, in, out);
    }

    private static void poolOnlyOnServer(Scene scene, Link link) {
        End server = link.server();
        MemorySegment heap = MemorySegment.ofArray(new byte[100]);
        server.send(heap, 1, null, POOL_ONLY).isRefused(ErrorCode.EINVAL);
        server.receive(heap, 1, null, POOL_ONLY).isRefused(ErrorCode.EINVAL);
        MemorySegment in = scene.buffer(100);
        Exchange.check(server.send(heap, 1), link.client().receive(in, 1), heap, in);
        withBlock(
                server,
                200,
                block -> {
                    Scene.fill(block, 2);
                    MemorySegment part = block.asSlice(50, 100);
                    Posted send = server.send(part, 1, null, POOL_ONLY);
                    Exchange.check(send, link.client().receive(in, 1), part, in);
                });
    }

    private static void poolOnlyFreed(Scene scene, Link link) {
        End server = link.server();
        MemorySegment[] freed = new MemorySegment[1];
        withBlock(server, 4096, block -> freed[0] = block);
        server.send(freed[0], 1, null, POOL_ONLY).isRefused(ErrorCode.EINVAL);
        server.receive(freed[0], 1, null, POOL_ONLY).isRefused(ErrorCode.EINVAL);
        Exchange.bothOrders(scene, server, link.client(), 100);
    }

    private static void foreignOnServer(Scene scene, End from, End to) {
        MemorySegment out = MemorySegment.ofArray(new byte[70_000]);
        MemorySegment in = MemorySegment.ofArray(new byte[70_000]);
        Scene.fill(out, 12);
        Exchange.receiveFirst(from, to, out, in);
        in.fill((byte) 0);
        Exchange.sendFirst(from, to, out, in);
    }

    private static void reuse(Scene scene, Link link) throws Exception {
        link.bothWays(
                (from, to) -> {
                    for (int size : new int[] {10, 1000, 100_000}) {
                        reuse(scene, from, to, size);
                    }
                });
        MemorySegment out = scene.pattern(100, 20);
        Posted send = link.client().sendUnexpected(out, 3, 0);
        Posted.finish(send);
        out.fill((byte) 0);
        UnexpectedMessages messages = scene.receiveUnexpected(link.server().bmi(), send);
        Expect.bytes(messages.payload(0), scene.pattern(100, 20), "what was sent unexpectedly");
        messages.free(0);
    }

    private static void reuse(Scene scene, End from, End to, int size) {
        MemorySegment out = scene.pattern(size, size);
        MemorySegment in = scene.buffer(size);
        Posted receive = to.receive(in, 3);
        Posted send = from.send(out, 3);
        send.finishBeside(receive);
        out.fill((byte) 0xff);
        Posted.finish(receive);
        Expect.bytes(in, scene.pattern(size, size), "the old content");
    }

    private static void refusedMemory(Scene scene, End from, End to) {
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment own = confined.allocate(10);
            refused(() -> from.send(own, 1), "a send from a confined arena");
            refused(() -> from.receive(own, 1), "a receive into a confined arena");
        }
        MemorySegment ints = MemorySegment.ofArray(new int[10]);
        refused(() -> from.send(ints, 1), "a send from an int array");
        MemorySegment readOnly = scene.buffer(10).asReadOnly();
        refused(() -> from.receive(readOnly, 1), "a receive into read-only memory");
        MemorySegment dead = closedMemory();
        refused(() -> from.send(dead, 1), "a send from a closed arena");
        MemorySegment in = scene.buffer(10);
        Exchange.check(from.send(readOnly, 1), to.receive(in, 1), readOnly, in);
    }

    private static MemorySegment closedMemory() {
        try (Arena arena = Arena.ofShared()) {
            return arena.allocate(10);
        }
    }

    private static void refused(Runnable post, String what) {
        Expect.refusal(ErrorCode.EINVAL, post, what);
    }

    private interface BlockUse {
        void use(MemorySegment block);
    }

    private static void withBlock(End end, long size, BlockUse use) {
        MemorySegment block = Scene.memalloc(end, size);
        try {
            use.use(block);
        } finally {
            end.bmi().free(block);
        }
    }
}
