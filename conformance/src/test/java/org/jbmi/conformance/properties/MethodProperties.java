package org.jbmi.conformance.properties;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterProperty;

import org.jbmi.testsuite.End;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.MethodFixture;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.model.Stage;
import org.jbmi.testsuite.model.Step;
import org.jbmi.testsuite.model.Way;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** What holds on every method, whatever the numbers are. */
abstract class MethodProperties {
    private static final boolean LONG = Boolean.getBoolean("jbmi.long");
    private static final int CLIENTS = 2;
    private static final long POOL_BYTES = 4L << 20;
    private static final int ALIGNMENT = 64;

    private Stage stage;

    /** The method. */
    abstract MethodFixture fixture();

    private Stage stage() {
        if (stage == null) {
            stage = new Stage(fixture(), EnvironmentSettings.DEFAULT.withPool(POOL_BYTES), CLIENTS);
        }
        return stage;
    }

    @AfterProperty
    void close() {
        if (stage != null) {
            stage.close();
            stage = null;
        }
    }

    @Provide
    Arbitrary<List<List<Move>>> scripts() {
        return ScriptThreads.scripts();
    }

    /** Family 1: from several threads each outcome is reported once, in order, with its bytes. */
    @Property
    void threadsSeeEachOutcomeOnce(
            @ForAll("scripts") List<List<Move>> scripts, @ForAll @IntRange(max = 1000) int seed) {
        new ScriptThreads(stage(), seed).play(scripts);
    }

    /** Family 2: a cancel and a match at the same time have one winner. */
    @Property
    void aCancelRacesWithAMatchAndOneWins(
            @ForAll @IntRange(max = 100_000) int sizeBytes,
            @ForAll @IntRange(max = 60) int cancelAfterUs,
            @ForAll boolean up,
            @ForAll boolean cancelsReceive) {
        Way way = new Way(0, up, 77);
        new CancelRace(stage(), way, sizeBytes).run(cancelAfterUs, cancelsReceive);
    }

    /** Family 4: a client may leave after any step; in the short form after one of a program. */
    @Property
    void aClientLeavesAfterAnyStep(
            @ForAll("shortPrograms") List<Step> program, @ForAll @IntRange(max = 1000) int pick) {
        int first = LONG ? 0 : pick % (program.size() + 1);
        int last = LONG ? program.size() : first;
        for (int k = first; k <= last; k++) {
            try (Theatre theatre = new Theatre(List.of(fixture()), EnvironmentSettings.DEFAULT)) {
                program.subList(0, k).forEach(theatre::play);
                theatre.play(new Step.Leave(0));
                program.subList(k, program.size()).forEach(theatre::play);
                theatre.finish();
            }
        }
    }

    @Provide
    Arbitrary<List<Step>> shortPrograms() {
        return Arbitraries.oneOf(
                        Programs.sends(4096),
                        Programs.roomyReceives(4096),
                        Programs.cancels(),
                        Programs.letters(Programs.classes()))
                .list()
                .ofMinSize(2)
                .ofMaxSize(6);
    }

    @Provide
    Arbitrary<List<Integer>> allocations() {
        return Arbitraries.oneOf(
                        Arbitraries.integers().between(0, 200_000),
                        Arbitraries.integers().between(-50, -1))
                .list()
                .ofMaxSize(150);
    }

    /** Family 5: blocks are aligned, never overlap, and all of them come back. */
    @Property
    void memoryIsGivenOutOnce(@ForAll("allocations") List<Integer> sizes) {
        End server = stage().server(0);
        TreeMap<Long, MemorySegment> held = new TreeMap<>();
        for (int size : sizes) {
            if (size < 0) {
                free(server, held, -size);
                continue;
            }
            MemorySegment block = server.peer().allocate(size);
            if (block != null) {
                expectAlone(held, block, size);
                held.put(block.address(), block);
                block.fill((byte) size);
            }
        }
        for (MemorySegment block : held.values()) {
            server.bmi().free(block);
        }
        MemorySegment most = server.peer().allocate(POOL_BYTES);
        Expect.that(most != null, "all of the pool is one piece again");
        server.bmi().free(most);
    }

    private static void free(End server, TreeMap<Long, MemorySegment> held, int pick) {
        if (!held.isEmpty()) {
            List<Long> addresses = List.copyOf(held.keySet());
            MemorySegment block = held.remove(addresses.get(pick % addresses.size()));
            server.bmi().free(block);
        }
    }

    private static void expectAlone(
            TreeMap<Long, MemorySegment> held, MemorySegment block, int size) {
        Expect.equal(block.byteSize(), size, "the size of the block");
        Expect.equal(block.address() % ALIGNMENT, 0, "what is left of its address");
        Map.Entry<Long, MemorySegment> before = held.floorEntry(block.address());
        Map.Entry<Long, MemorySegment> after = held.ceilingEntry(block.address());
        Expect.that(
                before == null || before.getKey() + before.getValue().byteSize() <= block.address(),
                "it begins behind the block before it");
        Expect.that(
                after == null || block.address() + size <= after.getKey(),
                "it ends before the block behind it");
    }

    /** Families 6 and 7: whatever the borders on either side, the same bytes come out. */
    @Property
    void bordersMakeNoDifference(
            @ForAll @Size(min = 1, max = 12) List<@IntRange(max = 3000) Integer> from,
            @ForAll @Size(min = 1, max = 12) List<@IntRange(max = 3000) Integer> cuts,
            @ForAll boolean up,
            @ForAll boolean receiveFirst) {
        int total = from.stream().mapToInt(Integer::intValue).sum();
        Way way = new Way(1, up, 5);
        End sender = stage().end(way, false);
        End receiver = stage().end(way, true);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment out = arena.allocate(total + 1).asSlice(0, total);
            Scene.fill(out, total);
            MemorySegment in = arena.allocate(total + 1).asSlice(0, total);
            MemorySegment[] pieces = pieces(out, from);
            MemorySegment[] room = pieces(in, cuts);
            Posted first = receiveFirst ? receiver.receiveList(room, 5) : null;
            Posted send = sender.sendList(pieces, 5);
            Posted receive = first == null ? receiver.receiveList(room, 5) : first;
            Posted.finish(send, receive);
            send.succeeds(total);
            receive.succeeds(total);
            Expect.bytes(in, out, "the bytes");
        }
    }

    /** Cuts memory; what the cuts leave is the last piece. */
    private static MemorySegment[] pieces(MemorySegment whole, List<Integer> cuts) {
        List<MemorySegment> pieces = new ArrayList<>();
        long at = 0;
        for (int cut : cuts) {
            long length = Math.min(cut, whole.byteSize() - at);
            pieces.add(whole.asSlice(at, length));
            at += length;
        }
        pieces.add(whole.asSlice(at));
        return pieces.toArray(new MemorySegment[0]);
    }

    /** Family 8: of many who wait only the one returns whose operation is over. */
    @Property
    void onlyTheAffectedReturns(
            @ForAll @IntRange(min = 2, max = 8) int waiters, @ForAll @IntRange(max = 7) int pick) {
        End server = stage().server(0);
        End client = stage().client(0);
        try (Arena arena = Arena.ofShared();
                ExecutorService threads = Executors.newFixedThreadPool(waiters)) {
            List<Posted> receives = new ArrayList<>();
            List<CompletableFuture<Boolean>> tasks = new ArrayList<>();
            for (int tag = 0; tag < waiters; tag++) {
                Posted receive = server.receive(arena.allocate(8), 1000 + tag);
                receives.add(receive);
                tasks.add(CompletableFuture.supplyAsync(() -> receive.isDone(20_000), threads));
            }
            int chosen = pick % waiters;
            Posted send = client.send(arena.allocate(8), 1000 + chosen);
            Expect.that(tasks.get(chosen).join(), "the affected one returns");
            Posted.finish(send);
            for (int tag = 0; tag < waiters; tag++) {
                if (tag != chosen) {
                    Expect.that(!tasks.get(tag).isDone(), "the others go on waiting");
                    server.context().cancel(receives.get(tag).result());
                    Expect.that(tasks.get(tag).join(), "cancelled, it returns as well");
                }
            }
        }
    }
}
