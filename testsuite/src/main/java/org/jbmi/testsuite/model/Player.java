package org.jbmi.testsuite.model;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
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
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/**
 * Runs a random program on a method and on the model, step by step. After each step it tests until
 * all operations that the model has ended were reported; each report must agree with the model. So
 * a program has one possible result, the same on every method. An operation must be reported in its
 * own context.
 */
public final class Player {
    private static final int ROOM = 8;
    private static final long PATIENCE_NS = 20_000_000_000L;
    private static final long FAR_MS = 3_600_000;
    private static final long SOON_MS = 1;
    private static final PostOptions FAR =
            PostOptions.NONE.withDeadlineMs(FAR_MS).withIdleDeadlineMs(FAR_MS);
    private static final PostOptions SOON = PostOptions.NONE.withDeadlineMs(SOON_MS);
    private static final PostOptions SOON_IDLE = PostOptions.NONE.withIdleDeadlineMs(SOON_MS);

    private final Stage stage;
    private boolean cancelsSends;
    private final Model model = new Model();
    private final Map<Bmi, CompletionContext> second = new HashMap<>();
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
     * @param cancelsSends whether cancel steps and deadlines may end sends. Never on a method whose
     *     sends are local, nor if such a method plays the same program
     */
    public Player(Stage stage, boolean cancelsSends) {
        this.stage = stage;
        this.cancelsSends = cancelsSends && !stage.sendsAreLocal();
    }

    /** Lets cancel steps and deadlines end receives only. */
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
            case Step.Take take -> take(take);
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
        expireAll();
        for (Model.Op op : List.copyOf(model.pending())) {
            if (!op.receives()) {
                play(new Step.Receive(op.way(), op.sizeBytes(), 1, 0, Step.Deadline.NONE));
            }
        }
        for (Model.Op op : List.copyOf(model.pending())) {
            cancel(op);
            settle();
        }
        memoryIsShort = false; // receives without a partner hold none of it any more
        settle();
        for (int messageClass : model.lettersWaiting(Step.Take.ANY)) {
            play(new Step.Take(messageClass, 1));
        }
        try (UnexpectedListener all = server().openListener(UnexpectedFilter.ALL)) {
            Expect.equal(all.test(one, 0), 0, "unexpected messages beyond the last");
        }
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
            expireNext(step.way(), true);
            Model.Op op = model.send(step.way(), step.sizeBytes());
            post(op, step.pieces(), step.context(), step.deadline());
        }
    }

    private void receive(Step.Receive step) {
        if (!gone.contains(step.way().client())) {
            expireNext(step.way(), false);
            Model.Op op = model.receive(step.way(), step.sizeBytes());
            post(op, step.pieces(), step.context(), step.deadline());
        }
    }

    private void post(Model.Op op, int count, int context, Step.Deadline deadline) {
        // An operation that a deadline ends is like one that is cancelled.
        boolean mayExpire = op.state() == Model.State.PENDING && (op.receives() || cancelsSends);
        PostOptions options = options(deadline, mayExpire);
        End first = stage.end(op.way(), op.receives());
        LiveOperation live = live(op, context == 0 ? first : second(first), options);
        MemorySegment[] pieces = pieces(live.buffer(), count);
        long result = post(op, live.end(), pieces, options);
        live.posted(result);
        if (PostResult.isPending(result)) {
            open.put(op.number(), live);
        } else {
            report(live, (int) Math.min(result, 0), Math.max(result, 0));
        }
    }

    private static long post(Model.Op op, End end, MemorySegment[] pieces, PostOptions options) {
        CompletionContext in = end.context();
        PeerAddress peer = end.peer();
        int tag = op.way().tag();
        if (pieces.length > 1) {
            return op.receives()
                    ? in.postReceiveList(peer, pieces, op.sizeBytes(), tag, null, options)
                    : in.postSendList(peer, pieces, op.sizeBytes(), tag, null, options);
        }
        return op.receives()
                ? in.postReceive(peer, pieces[0], tag, null, options)
                : in.postSend(peer, pieces[0], tag, null, options);
    }

    private static PostOptions options(Step.Deadline deadline, boolean mayExpire) {
        return switch (deadline) {
            case NONE -> PostOptions.NONE;
            case FAR -> FAR;
            case SOON -> mayExpire ? SOON : FAR;
            case SOON_IDLE -> mayExpire ? SOON_IDLE : FAR;
        };
    }

    private LiveOperation live(Model.Op op, End end, PostOptions options) {
        MemorySegment buffer =
                stage.arena().allocate(Math.max(1, op.sizeBytes())).asSlice(0, op.sizeBytes());
        boolean expires = options.equals(SOON) || options.equals(SOON_IDLE);
        long expiresAfterNs = expires ? SOON_MS * 1_000_000 : 0;
        return new LiveOperation(op, end, buffer, stage.sendsAreLocal(), expiresAfterNs);
    }

    /** The same end, in its second context. */
    private End second(End end) {
        return new End(end.bmi(), second.computeIfAbsent(end.bmi(), Bmi::openContext), end.peer());
    }

    private Bmi server() {
        return stage.server(0).bmi();
    }

    /** Awaits the deadlines of those that would match next: a race would have two results. */
    private void expireNext(Way way, boolean receives) {
        Model.Op next = model.next(way, receives);
        while (next != null && expires(next)) {
            expire(next);
            next = model.next(way, receives);
        }
    }

    private boolean expires(Model.Op op) {
        LiveOperation live = open.get(op.number());
        return live != null && live.expires();
    }

    private void expire(Model.Op op) {
        model.expire(op);
        askUntil(() -> !open.containsKey(op.number()));
    }

    private void expireAll() {
        model.pending().stream().filter(this::expires).forEach(this::expire);
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
                model.pending().stream()
                        .filter(op -> (op.receives() || cancelsSends) && !expires(op))
                        .toList();
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
        int number = model.letter(step);
        MemorySegment buffer = stage.arena().allocate(Math.max(1, step.sizeBytes()));
        MemorySegment message = buffer.asSlice(0, step.sizeBytes());
        Scene.fill(message, number);
        Posted send =
                stage.client(step.client())
                        .sendUnexpected(message, step.tag(), step.messageClass());
        letters.add(new Sent(send, step.sizeBytes()));
    }

    private void take(Step.Take step) {
        if (step.messageClass() == Step.Take.ANY) {
            try (UnexpectedListener all = server().openListener(UnexpectedFilter.ALL)) {
                take(step, () -> all.test(one, 1));
            }
        } else {
            take(step, () -> server().testUnexpected(step.messageClass(), one, 1));
        }
    }

    private void take(Step.Take step, IntSupplier test) {
        int count = Math.min(step.count(), model.lettersWaiting(step.messageClass()).size());
        for (int i = 0; i < count; i++) {
            Expect.eventually(
                    () -> {
                        letters.forEach(letter -> letter.send().isDone(0));
                        return test.getAsInt() == 1;
                    },
                    "an unexpected message is delivered");
            Model.Letter expected = model.taken(clientOfSender(), step.messageClass());
            Expect.equal(one.tag(0), expected.tag(), "the tag of an unexpected message");
            Expect.equal(one.messageClass(0), expected.messageClass(), "its class");
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
        MemorySegment block = stage.server(0).peer().allocate(sizeBytes);
        if (block != null) {
            blocks.add(block);
        }
    }

    private void free(int pick) {
        if (!blocks.isEmpty()) {
            MemorySegment block = blocks.remove(Math.floorMod(pick, blocks.size()));
            server().free(block);
        }
    }

    private void leave(int client) {
        if (!gone.contains(client)) {
            expireAll();
            gone.add(client);
            expectLettersSent();
            letters.clear();
            model.leave(client);
            open.values()
                    .removeIf(
                            live ->
                                    live.op().way().client() == client
                                            && live.end().bmi().equals(stage.client(client).bmi()));
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
        ends.addAll(
                ends.stream()
                        .filter(end -> second.containsKey(end.bmi()))
                        .map(this::second)
                        .toList());
        return ends;
    }

    /** Tests until all operations that have ended were reported. */
    private void settle() {
        askUntil(() -> memoryIsShort || !isAnythingDue());
    }

    private void askUntil(BooleanSupplier holds) {
        long endNs = System.nanoTime() + PATIENCE_NS;
        boolean first = true;
        while (first || !holds.getAsBoolean()) {
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

    private void report(LiveOperation live, int error, long sizeBytes) {
        if (live.expires() && error == ErrorCode.ETIMEDOUT.negativeValue()) {
            model.expire(live.op()); // no partner came before
        }
        live.report(error, sizeBytes);
    }

    private void told(End end, Completions done, int k) {
        for (LiveOperation live : openOf(end)) {
            if (live.id() == done.id(k)) {
                report(live, done.outcome(k).negativeValue(), done.sizeBytes(k));
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
