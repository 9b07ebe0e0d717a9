package org.jbmi.testsuite.model;

import org.jbmi.Completions;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.ConformanceFailure;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Runs a random program on a method and on the model, step by step. After each step it tests until
 * all operations that the model has ended were reported; each report must agree with the model. So
 * a program has one possible result, the same on every method.
 */
public final class Player {
    private static final int ROOM = 8;
    private static final long PATIENCE_NS = 20_000_000_000L;

    private final Stage stage;
    private boolean cancelsSends;
    private final Model model = new Model();
    private final Map<Integer, LiveOperation> open = new HashMap<>();
    private final List<Sent> letters = new ArrayList<>();
    private final List<MemorySegment> blocks = new ArrayList<>();
    private final Set<Integer> gone = new HashSet<>();
    private final UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
    private Step.Call call = Step.Call.TEST;
    private boolean memoryIsShort;

    /** An unexpected message that a client has sent. */
    private record Sent(Posted send, int sizeBytes) {}

    /**
     * Begins a program.
     *
     * @param stage where it is played
     * @param cancelsSends whether cancel steps may cancel sends. Never on a method whose sends are
     *     local, nor if such a method plays the same program
     */
    public Player(Stage stage, boolean cancelsSends) {
        this.stage = stage;
        this.cancelsSends = cancelsSends && !stage.sendsAreLocal();
    }

    /** Lets cancel steps cancel receives only. */
    public void keepSends() {
        cancelsSends = false;
    }

    /**
     * Lets operations wait for memory until blocks are freed: the player does not wait for outcomes
     * after each step. At the end it frees all blocks, and the outcomes must be those of the model.
     */
    public void memoryIsShort() {
        memoryIsShort = true;
    }

    /**
     * Plays a step.
     *
     * @param step what to do
     */
    public void play(Step step) {
        switch (step) {
            case Step.Send send -> send(send);
            case Step.Receive receive -> receive(receive);
            case Step.Cancel cancel -> cancel(cancel.pick());
            case Step.Unexpected letter -> letter(letter);
            case Step.Take take -> take(take.count());
            case Step.Allocate allocate -> allocate(allocate.sizeBytes());
            case Step.Free free -> free(free.pick());
            case Step.Leave leave -> leave(leave.client());
            case Step.Look look -> call = look.by();
        }
        settle();
    }

    /**
     * Ends the program: takes every message that was sent, cancels every receive that waits, frees
     * what is held, and looks whether anything is left.
     */
    public void finish() {
        while (!blocks.isEmpty()) {
            free(0);
        }
        settle();
        for (Model.Op op : List.copyOf(model.pending())) {
            if (!op.receives()) {
                play(new Step.Receive(op.way(), op.sizeBytes(), 1));
            }
        }
        for (Model.Op op : List.copyOf(model.pending())) {
            cancel(op);
            settle();
        }
        memoryIsShort = false; // receives without a partner hold none of it any more
        settle();
        take(Integer.MAX_VALUE);
        expectLettersSent();
        Expect.equal(open.size(), 0, "operations that were not reported");
        for (End end : ends()) {
            Completions more = Completions.ofCapacity(1);
            Expect.equal(end.context().testContext(more, 0), 0, "completions beyond the last");
            Expect.equal(Scene.counter(end.bmi(), "bmi.operations"), 0, "operations left");
        }
        // What a peer that left had sent may be kept for a while.
        for (String label : gone.isEmpty() ? stage.fixture().restCounters() : List.<String>of()) {
            Expect.eventually(
                    () -> Scene.counter(stage.server(0).bmi(), label) == 0,
                    label + " goes back to 0");
        }
    }

    private void expectLettersSent() {
        Posted.finish(letters.stream().map(Sent::send).toArray(Posted[]::new));
        letters.forEach(letter -> letter.send().succeeds(letter.sizeBytes()));
    }

    private void send(Step.Send step) {
        if (!gone.contains(step.way().client())) {
            post(model.send(step.way(), step.sizeBytes()), step.pieces());
        }
    }

    private void receive(Step.Receive step) {
        if (!gone.contains(step.way().client())) {
            post(model.receive(step.way(), step.sizeBytes()), step.pieces());
        }
    }

    private void post(Model.Op op, int count) {
        LiveOperation live = live(op);
        MemorySegment[] pieces = pieces(live.buffer(), count);
        boolean isList = pieces.length > 1;
        End end = live.end();
        int tag = op.way().tag();
        Posted posted =
                op.receives()
                        ? isList ? end.receiveList(pieces, tag) : end.receive(pieces[0], tag)
                        : isList ? end.sendList(pieces, tag) : end.send(pieces[0], tag);
        live.posted(posted.result());
        keep(live);
    }

    private LiveOperation live(Model.Op op) {
        MemorySegment buffer =
                stage.arena().allocate(Math.max(1, op.sizeBytes())).asSlice(0, op.sizeBytes());
        return new LiveOperation(
                op, stage.end(op.way(), op.receives()), buffer, stage.sendsAreLocal());
    }

    private void keep(LiveOperation live) {
        if (!live.isReported()) {
            open.put(live.op().number(), live);
        }
    }

    private static MemorySegment[] pieces(MemorySegment whole, int count) {
        MemorySegment[] pieces = new MemorySegment[count];
        long at = 0;
        for (int i = 0; i < count; i++) {
            long length =
                    i == count - 1
                            ? whole.byteSize() - at
                            : Math.min(whole.byteSize() - at, whole.byteSize() / count);
            pieces[i] = whole.asSlice(at, length);
            at += length;
        }
        return pieces;
    }

    private void cancel(int pick) {
        List<Model.Op> choice =
                model.pending().stream().filter(op -> op.receives() || cancelsSends).toList();
        if (!choice.isEmpty()) {
            cancel(choice.get(Math.floorMod(pick, choice.size())));
        }
    }

    private void cancel(Model.Op op) {
        LiveOperation live = open.get(op.number());
        model.cancel(op);
        if (live != null) {
            live.end().context().cancel(live.id());
        }
    }

    private void letter(Step.Unexpected step) {
        if (gone.contains(step.client())) {
            return;
        }
        int number = model.letter(step.client(), step.tag(), step.sizeBytes());
        MemorySegment buffer = stage.arena().allocate(Math.max(1, step.sizeBytes()));
        MemorySegment message = buffer.asSlice(0, step.sizeBytes());
        Scene.fill(message, number);
        Posted send = stage.client(step.client()).sendUnexpected(message, step.tag(), 0);
        letters.add(new Sent(send, step.sizeBytes()));
    }

    private void take(int count) {
        for (int i = 0; i < count && model.lettersWaiting() > 0; i++) {
            Expect.eventually(
                    () -> {
                        letters.forEach(letter -> letter.send().isDone(0));
                        return stage.server(0).bmi().testUnexpected(one, 1) == 1;
                    },
                    "an unexpected message is delivered");
            Model.Letter expected = model.taken(clientOfSender());
            Expect.equal(one.tag(0), expected.tag(), "the tag of an unexpected message");
            byte[] bytes = new byte[expected.sizeBytes()];
            Scene.fill(MemorySegment.ofArray(bytes), expected.number());
            Expect.bytes(one.payload(0), MemorySegment.ofArray(bytes), "an unexpected message");
            one.free(0);
        }
    }

    private int clientOfSender() {
        for (int client = 0; client < stage.clients(); client++) {
            if (stage.server(client).peer().equals(one.peer(0))) {
                return client;
            }
        }
        throw new ConformanceFailure("A message came from nobody that we know.");
    }

    private void allocate(int sizeBytes) {
        End server = stage.server(0);
        MemorySegment block = server.peer().allocate(sizeBytes);
        if (block != null) {
            blocks.add(block);
        }
    }

    private void free(int pick) {
        if (!blocks.isEmpty()) {
            MemorySegment block = blocks.remove(Math.floorMod(pick, blocks.size()));
            stage.server(0).bmi().free(block);
        }
    }

    private void leave(int client) {
        if (gone.add(client)) {
            expectLettersSent();
            letters.clear();
            model.leave(client);
            open.values()
                    .removeIf(
                            live ->
                                    live.op().way().client() == client
                                            && live.end().equals(stage.client(client)));
            stage.client(client).bmi().close();
        }
    }

    private List<End> ends() {
        List<End> ends = new ArrayList<>();
        ends.add(stage.server(0));
        for (int client = 0; client < stage.clients(); client++) {
            if (!gone.contains(client)) {
                ends.add(stage.client(client));
            }
        }
        return ends;
    }

    /** Tests until all operations that have ended were reported. */
    private void settle() {
        long endNs = System.nanoTime() + PATIENCE_NS;
        boolean first = true;
        while (first || (!memoryIsShort && isAnythingDue())) {
            for (End end : ends()) {
                ask(end, first ? 0 : 1);
            }
            if (System.nanoTime() - endNs > 0) {
                throw new ConformanceFailure("Not reported, though it is over: " + due());
            }
            first = false;
        }
    }

    private boolean isAnythingDue() {
        for (LiveOperation live : open.values()) {
            if (live.op().state() != Model.State.PENDING) {
                return true;
            }
        }
        return false;
    }

    private List<LiveOperation> due() {
        return open.values().stream()
                .filter(live -> live.op().state() != Model.State.PENDING)
                .toList();
    }

    private Collection<LiveOperation> openOf(End end) {
        return open.values().stream()
                .filter(live -> live.end().context().equals(end.context()))
                .toList();
    }

    private void ask(End end, long idleMs) {
        Completions done = Completions.ofCapacity(ROOM);
        Collection<LiveOperation> mine = openOf(end);
        switch (call) {
            case TEST -> {
                long idle = idleMs;
                for (LiveOperation live : mine) {
                    if (end.context().test(live.id(), done, idle) == 1) {
                        Expect.equal(done.id(0), live.id(), "the id in the completion");
                        told(end, done, 0);
                    }
                    idle = 0;
                }
            }
            case SOME -> {
                long[] ids = mine.stream().mapToLong(LiveOperation::id).toArray();
                int count = end.context().testSome(ids, ids.length, done, idleMs);
                for (int k = 0; k < count; k++) {
                    Expect.equal(ids[done.index(k)], done.id(k), "the id at the index");
                    told(end, done, k);
                }
            }
            case CONTEXT -> {
                int count = end.context().testContext(done, idleMs);
                for (int k = 0; k < count; k++) {
                    told(end, done, k);
                }
            }
        }
    }

    private void told(End end, Completions done, int k) {
        for (LiveOperation live : openOf(end)) {
            if (live.id() == done.id(k)) {
                live.report(done.outcome(k).negativeValue(), done.sizeBytes(k));
                open.remove(live.op().number());
                return;
            }
        }
        for (Sent letter : letters) {
            if (letter.send().isReportedBy(end.context(), done.id(k))) {
                letter.send().takeFrom(done, k);
                return;
            }
        }
        throw new ConformanceFailure("An operation was reported that nobody waits for.");
    }
}
