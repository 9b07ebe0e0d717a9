package org.jbmi.testsuite.cases.message;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.observe.Counter;
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
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;

/** Group E: memory for messages. */
public final class MemoryCases {
    private static final long POOL = 8L << 20;
    private static final int ALIGNMENT = 64;
    private static final int FORGOTTEN = 3;

    private MemoryCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        Capability pool = Capability.SERVER_POOL;
        list.group('E')
                .add(48, "alignment", MemoryCases::alignment)
                .add(49, "pool memory carries messages", MemoryCases::carries)
                .add(50, "exhaustion", MemoryCases::exhaustion, pool)
                .add(51, "sizes of 0 and below", MemoryCases::zeroAndNegative)
                .add(52, "more than the pool", MemoryCases::tooMuch, pool)
                .add(53, "freed twice", MemoryCases::doubleFree)
                .add(54, "foreign memory freed", MemoryCases::foreign)
                .add(55, "the middle of a block freed", MemoryCases::middle)
                .add(57, "memalloc for a peer that is none", MemoryCases::unknownPeer)
                .add(58, "memory forgotten at close", MemoryCases::forgotten)
                .add(59, "fragmentation", MemoryCases::fragmentation, pool)
                .add(60, "many threads allocate", MemoryCases::concurrent)
                .add(307, "memory in use is not freed", MemoryCases::inUse);
    }

    private static void alignment(Scene scene, End end, End other) {
        for (int size = 1; size <= 10_000; size += 1 + size / 7) {
            MemorySegment memory = Scene.memalloc(end, size);
            Expect.equal(memory.byteSize(), size, "the size");
            Expect.equal(memory.address() % ALIGNMENT, 0, "the address modulo 64");
            memory.fill((byte) 1);
            end.bmi().free(memory);
        }
    }

    private static void carries(Scene scene, End from, End to) {
        MemorySegment out = Scene.memalloc(from, 1 << 20);
        MemorySegment in = Scene.memalloc(to, 1 << 20);
        Scene.fill(out, 1);
        Exchange.receiveFirst(from, to, out, in);
        Exchange.sendFirst(from, to, out.asSlice(100, 1000), in.asSlice(5000, 1000));
        from.bmi().free(out);
        to.bmi().free(in.asSlice(0, 1));
    }

    private static void exhaustion(Scene scene) {
        scene.settings(EnvironmentSettings.DEFAULT.withPool(POOL));
        End server = scene.link().server();
        for (int round = 0; round < 3; round++) {
            List<MemorySegment> blocks = new ArrayList<>();
            MemorySegment block = server.peer().allocate(100_000);
            while (block != null) {
                blocks.add(block);
                block = server.peer().allocate(100_000);
            }
            long fit = POOL / 100_032;
            Expect.that(
                    blocks.size() <= fit && blocks.size() > fit / 2,
                    blocks.size() + " blocks fit in the pool, at most " + fit);
            server.bmi().free(blocks.removeLast());
            MemorySegment again = Scene.memalloc(server, 100_000);
            blocks.add(again);
            blocks.forEach(server.bmi()::free);
        }
    }

    private static void zeroAndNegative(Scene scene, End end, End other) {
        MemorySegment one = Scene.memalloc(end, 0);
        MemorySegment two = Scene.memalloc(end, 0);
        Expect.equal(one.byteSize(), 0, "the size");
        end.bmi().free(one);
        end.bmi().free(two);
        Expect.that(end.peer().allocate(-1) == null, "a size of -1 gives null");
        Expect.that(end.peer().allocate(Long.MIN_VALUE) == null, "the least size too");
    }

    private static void tooMuch(Scene scene) {
        scene.settings(EnvironmentSettings.DEFAULT.withPool(POOL));
        End server = scene.link().server();
        Expect.that(server.peer().allocate(POOL + 1) == null, "more than the pool gives null");
        Expect.that(server.peer().allocate(Long.MAX_VALUE) == null, "the greatest size too");
        server.bmi().free(Scene.memalloc(server, 1000));
    }

    private static void doubleFree(Scene scene, End end, End other) {
        MemorySegment memory = Scene.memalloc(end, 1000);
        MemorySegment neighbour = Scene.memalloc(end, 1000);
        Scene.fill(neighbour, 1);
        end.bmi().free(memory);
        refused(end, memory, "a block that was freed");
        MemorySegment next = Scene.memalloc(end, 1000);
        next.fill((byte) 5);
        Expect.bytes(neighbour, scene.pattern(1000, 1), "the neighbour");
        end.bmi().free(next);
        end.bmi().free(neighbour);
        refused(end, neighbour, "another one");
    }

    private static void refused(End end, MemorySegment memory, String what) {
        Expect.refusal(ErrorCode.EINVAL, () -> end.bmi().free(memory), "freeing " + what);
    }

    private static void foreign(Scene scene, End end, End other) {
        refused(end, MemorySegment.ofArray(new byte[100]), "heap memory");
        refused(end, scene.buffer(100), "memory of an arena");
        refused(end, MemorySegment.NULL, "the null segment");
        MemorySegment memory = Scene.memalloc(other, 100);
        refused(end, memory, "memory of another instance");
        other.bmi().free(memory);
    }

    private static void middle(Scene scene, End end, End other) {
        MemorySegment memory = Scene.memalloc(end, 1000);
        for (int offset : new int[] {1, 16, 64, 999, 1000}) {
            refused(end, memory.asSlice(offset), "a block from byte " + offset);
        }
        end.bmi().free(memory.asSlice(0, 10));
    }

    private static void unknownPeer(Scene scene, Link link) {
        PeerAddress peer = link.client().peer();
        peer.drop();
        Expect.that(peer.allocate(10) == null, "a dropped peer gives null");
    }

    private static void forgotten(Scene scene, Link link) {
        scene.leavesThingsBehind();
        String ofClient = scene.fixture().leakedBlocksCounter(false);
        String ofServer = scene.fixture().leakedBlocksCounter(true);
        Expect.that(
                ofServer != null,
                "the method counts what a server forgets; but the fixture's"
                        + " leakedBlocksCounter is null");
        for (int i = 0; i < FORGOTTEN; i++) {
            Scene.memalloc(link.client(), 100_000).set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
            Scene.memalloc(link.server(), 100_000).set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
        }
        closeCounting(link.client().bmi(), ofClient);
        closeCounting(link.server().bmi(), ofServer);
        // The fixture's environment checks that no file and no block is left.
    }

    private static void closeCounting(Bmi bmi, @Nullable String label) {
        Counter leaked = label == null ? null : bmi.counters().find(label);
        bmi.close();
        if (label != null) {
            Expect.equal(leaked == null ? -1 : leaked.get(), FORGOTTEN, label);
        }
    }

    private static void fragmentation(Scene scene) {
        scene.settings(EnvironmentSettings.DEFAULT.withPool(POOL));
        End server = scene.link().server();
        long whole = largest(server);
        Random random = scene.random();
        List<MemorySegment> blocks = new ArrayList<>();
        for (int i = 0; i < scene.amount(Amount.ALLOCATIONS); i++) {
            if (random.nextInt(100) < 52) {
                MemorySegment block = server.peer().allocate(random.nextInt(20_000));
                if (block != null) {
                    blocks.add(block);
                }
            } else if (!blocks.isEmpty()) {
                MemorySegment victim = blocks.set(random.nextInt(blocks.size()), blocks.getLast());
                blocks.removeLast();
                server.bmi().free(victim);
            }
        }
        blocks.forEach(server.bmi()::free);
        Expect.equal(largest(server), whole, "the largest block after everything was freed");
    }

    /** The largest block there is, to 64 bytes. */
    private static long largest(End end) {
        long fits = 0;
        for (long step = Long.highestOneBit(POOL) * 2; step >= ALIGNMENT; step /= 2) {
            MemorySegment block = end.peer().allocate(fits + step);
            if (block != null) {
                fits += step;
                end.bmi().free(block);
            }
        }
        return fits;
    }

    private static void concurrent(Scene scene, Link link) throws Exception {
        List<FutureTask<Integer>> workers = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            End end = t % 4 == 3 ? link.client() : link.server();
            long seed = scene.seed() + t;
            workers.add(scene.inThread("allocator", () -> allocateAndCheck(end, seed)));
        }
        for (FutureTask<Integer> worker : workers) {
            Expect.that(worker.get() > 0, "each thread got memory");
        }
    }

    private static int allocateAndCheck(End end, long seed) {
        Random random = new Random(seed);
        int allocated = 0;
        for (int i = 0; i < 3000; i++) {
            MemorySegment memory = end.peer().allocate(8 + random.nextInt(5000));
            if (memory == null) {
                continue;
            }
            allocated++;
            byte mark = (byte) random.nextInt();
            memory.fill(mark);
            Thread.onSpinWait();
            Expect.equal(memory.get(ValueLayout.JAVA_BYTE, 0), mark, "the first byte of a block");
            long last = memory.byteSize() - 1;
            Expect.bytes(memory.asSlice(1), memory.asSlice(0, last), "the bytes of a block");
            end.bmi().free(memory);
        }
        return allocated;
    }

    private static void inUse(Scene scene, End other, End owner) {
        blockInUse(scene, owner, other);
        listInUse(scene, owner, other);
    }

    private static void blockInUse(Scene scene, End owner, End other) {
        MemorySegment memory = Scene.memalloc(owner, 1000);
        Posted receive = owner.receive(memory.asSlice(100, 100), 1);
        Posted send = owner.send(memory.asSlice(300, 100), 2);
        expectBusy(owner, memory);
        receive.cancelled();
        if (send.wasPending()) {
            expectBusy(owner, memory);
        }
        Posted.finish(send, other.receive(scene.buffer(100), 2));
        owner.bmi().free(memory);
    }

    private static void listInUse(Scene scene, End owner, End other) {
        MemorySegment[] blocks = new MemorySegment[3];
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] = Scene.memalloc(owner, 1000);
        }
        Posted receive = owner.receiveList(blocks, 3);
        expectBusy(owner, blocks);
        receive.cancelled();
        Posted send = owner.sendList(blocks, 4);
        if (send.wasPending()) {
            expectBusy(owner, blocks);
        }
        Posted.finish(send, other.receive(scene.buffer(3000), 4));
        for (MemorySegment block : blocks) {
            owner.bmi().free(block);
        }
    }

    private static void expectBusy(End end, MemorySegment... memory) {
        for (MemorySegment each : memory) {
            Expect.refusal(ErrorCode.EBUSY, () -> end.bmi().free(each), "freeing memory in use");
        }
    }
}
