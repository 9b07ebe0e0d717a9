package org.jbmi.conformance.properties;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.model.Stage;
import org.jbmi.testsuite.model.Way;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Several threads that post, cancel and ask on the same ends. Each has tags of its own, so that the
 * order on them is known; outcomes are taken by whoever gets them.
 */
final class ScriptThreads {
    private static final int LARGEST = 40_000;

    /** How long each of the last receives waits, if its message may be lost. */
    private static final long LATE_NS = 20_000_000;

    /** An operation and what was told of it. */
    private static final class Slot {
        private final int number;
        private final Way way;
        private final boolean receives;
        private final End end;
        private final MemorySegment buffer;
        private final AtomicInteger reports = new AtomicInteger();
        private volatile long result;
        private volatile int error;
        private volatile long sizeBytes;

        Slot(int number, Way way, boolean receives, End end, MemorySegment buffer) {
            this.number = number;
            this.way = way;
            this.receives = receives;
            this.end = end;
            this.buffer = buffer;
        }

        void report(int withError, long withBytes) {
            error = withError;
            sizeBytes = withBytes;
            Expect.equal(reports.incrementAndGet(), 1, "reports of operation " + number);
        }

        boolean succeeded() {
            return reports.get() == 1 && error == 0;
        }
    }

    private final Stage stage;
    private final int seed;
    private final AtomicInteger numbers = new AtomicInteger();

    ScriptThreads(Stage stage, int seed) {
        this.stage = stage;
        this.seed = seed;
    }

    /** Scripts for two to four threads; half of them cancel nothing, and may lose no message. */
    static Arbitrary<List<List<Move>>> scripts() {
        EnumSet<Move> steady = EnumSet.complementOf(EnumSet.of(Move.CANCEL));
        return Arbitraries.oneOf(
                        Arbitraries.of(Move.values()).list().ofMaxSize(25),
                        Arbitraries.of(steady).list().ofMaxSize(25))
                .list()
                .ofMinSize(2)
                .ofMaxSize(4);
    }

    void play(List<List<Move>> scripts) {
        try (Arena arena = Arena.ofShared();
                ExecutorService threads = Executors.newFixedThreadPool(scripts.size())) {
            List<CompletableFuture<List<Slot>>> tasks = new ArrayList<>();
            for (int t = 0; t < scripts.size(); t++) {
                int thread = t;
                tasks.add(
                        CompletableFuture.supplyAsync(
                                () -> act(arena, thread, scripts.get(thread)), threads));
            }
            List<List<Slot>> posted = tasks.stream().map(CompletableFuture::join).toList();
            if (stage.sendsAreLocal()) {
                Expect.eventually(() -> haveMet(scripts, posted), "receives get what was sent");
            }
            posted.forEach(slots -> slots.forEach(ScriptThreads::cancel));
            Expect.eventually(() -> allReported(posted), "every operation is reported");
            for (int t = 0; t < posted.size(); t++) {
                boolean mayDrain = scripts.get(t).contains(Move.CANCEL);
                check(arena, posted.get(t), way(t, true), mayDrain);
                check(arena, posted.get(t), way(t, false), mayDrain);
            }
            Expect.that(!ask(stage.server(0)), "nothing is reported that was reported before");
        }
    }

    private static Way way(int thread, boolean up) {
        return new Way(thread % 2, up, 100 + thread);
    }

    private List<Slot> act(Arena arena, int thread, List<Move> script) {
        Random random = new Random(seed * 31L + thread);
        List<Slot> mine = new ArrayList<>();
        for (Move move : script) {
            switch (move) {
                case SEND_UP -> post(arena, mine, way(thread, true), false, random);
                case SEND_DOWN -> post(arena, mine, way(thread, false), false, random);
                case RECEIVE_UP -> post(arena, mine, way(thread, true), true, random);
                case RECEIVE_DOWN -> post(arena, mine, way(thread, false), true, random);
                case CANCEL -> {
                    if (!mine.isEmpty()) {
                        cancel(mine.get(random.nextInt(mine.size())));
                    }
                }
                case ASK_CLIENT -> ask(stage.client(thread % 2));
                case ASK_SERVER -> ask(stage.server(thread % 2));
            }
        }
        return mine;
    }

    private void post(Arena arena, List<Slot> mine, Way way, boolean receives, Random random) {
        int size = receives ? LARGEST : 4 + random.nextInt(random.nextBoolean() ? 1000 : 39_000);
        MemorySegment buffer = arena.allocate(size);
        Slot slot =
                new Slot(
                        numbers.incrementAndGet(), way, receives, stage.end(way, receives), buffer);
        mine.add(slot);
        End end = slot.end;
        if (!receives) {
            Scene.fill(buffer, slot.number);
        }
        slot.result =
                receives
                        ? end.context()
                                .postReceive(end.peer(), buffer, way.tag(), slot, PostOptions.NONE)
                        : end.context()
                                .postSend(end.peer(), buffer, way.tag(), slot, PostOptions.NONE);
        if (!PostResult.isPending(slot.result)) {
            slot.report((int) Math.min(slot.result, 0), Math.max(slot.result, 0));
        }
    }

    private static void cancel(Slot slot) {
        if (PostResult.isPending(slot.result)) {
            slot.end.context().cancel(slot.result);
        }
    }

    /** Takes outcomes of anybody; returns whether there were any. */
    private static boolean ask(End end) {
        Completions done = Completions.ofCapacity(4);
        int count = end.context().testContext(done, 0);
        for (int k = 0; k < count; k++) {
            if (done.userData(k) instanceof Slot slot) {
                slot.report(done.outcome(k).negativeValue(), done.sizeBytes(k));
            }
        }
        return count > 0;
    }

    private boolean allReported(List<List<Slot>> posted) {
        ask(stage.server(0));
        for (int client = 0; client < stage.clients(); client++) {
            ask(stage.client(client));
        }
        return posted.stream().flatMap(List::stream).allMatch(slot -> slot.reports.get() == 1);
    }

    /**
     * Whether all messages of the threads that cancel nothing have reached the receives that wait
     * for them: so the cancels at the end find none under way.
     */
    private boolean haveMet(List<List<Move>> scripts, List<List<Slot>> posted) {
        allReported(posted);
        boolean all = true;
        for (int t = 0; t < posted.size(); t++) {
            List<Slot> slots = posted.get(t);
            all &=
                    scripts.get(t).contains(Move.CANCEL)
                            || (haveMet(slots, way(t, true)) && haveMet(slots, way(t, false)));
        }
        return all;
    }

    private static boolean haveMet(List<Slot> slots, Way way) {
        List<Slot> ofWay = slots.stream().filter(slot -> slot.way.equals(way)).toList();
        long receives = ofWay.stream().filter(slot -> slot.receives).count();
        long met = ofWay.stream().filter(slot -> slot.receives && slot.succeeded()).count();
        return met >= Math.min(receives, ofWay.size() - receives);
    }

    /**
     * Messages of one way come in the order of their posts, each once, whole. On a method whose
     * sends are local, a receive may be cancelled while a message is under way to it, which then
     * nobody gets.
     */
    private void check(Arena arena, List<Slot> slots, Way way, boolean mayDrain) {
        List<Slot> sent = new ArrayList<>();
        List<Slot> received = new ArrayList<>();
        int mostDrained = 0;
        for (Slot slot : slots) {
            boolean cancelled = slot.error == ErrorCode.ECANCEL.negativeValue();
            Expect.that(slot.succeeded() || cancelled, "an outcome is success or ECANCEL");
            if (slot.succeeded() && slot.way.equals(way)) {
                (slot.receives ? received : sent).add(slot);
            }
            boolean drains = cancelled && slot.receives && slot.way.equals(way);
            mostDrained += drains && mayDrain && stage.sendsAreLocal() ? 1 : 0;
        }
        if (stage.sendsAreLocal()) {
            received.addAll(takeLate(arena, way, sent.size() - received.size(), mostDrained > 0));
        }
        int next = 0;
        for (Slot receive : received) {
            MemorySegment bytes = receive.buffer.asSlice(0, receive.sizeBytes);
            while (next < sent.size() && sent.get(next).buffer.mismatch(bytes) >= 0) {
                next++;
            }
            Expect.that(next < sent.size(), "a received message was sent, in this order, once");
            next++;
        }
        int lost = sent.size() - received.size();
        Expect.that(
                lost <= mostDrained,
                "of the sends that succeeded at most " + mostDrained + " are lost, not " + lost);
    }

    /** Messages may wait that nobody has received. */
    private List<Slot> takeLate(Arena arena, Way way, int count, boolean mayBeFewer) {
        List<Slot> late = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            post(arena, late, way, true, new Random(seed));
        }
        long endNs = System.nanoTime() + count * LATE_NS;
        while (mayBeFewer && !allReported(List.of(late)) && System.nanoTime() - endNs < 0) {
            Thread.onSpinWait();
        }
        if (mayBeFewer) {
            late.forEach(ScriptThreads::cancel);
        }
        Expect.eventually(() -> allReported(List.of(late)), "what was sent is received");
        return late.stream().filter(Slot::succeeded).toList();
    }
}
