package org.jbmi.rig.perf.worker;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The server's end of one client thread, for one phase. Its receives belong to the thread that
 * began it; any thread may take its unexpected messages.
 */
final class ServerFlow implements AutoCloseable {
    final PeerAddress peer;
    final int number;
    final Phase phase;

    /** Messages received, for streams. */
    final AtomicLong received = new AtomicLong();

    /** Messages with wrong contents. */
    private final AtomicLong wrong = new AtomicLong();

    /** The sum of the seeds of unexpected messages of a stream. */
    private final AtomicLong seedSum = new AtomicLong();

    /** How many receives of requests were posted; only the thread that began the flow reads it. */
    private long posted;

    /** The sum of the words that were read, so that the JIT compiler keeps the reads. */
    long readSum;

    /** Whether the client has gone; then its memory is freed and it gets no answers. */
    volatile boolean abandoned;

    /** How many messages the client says it has sent; negative while it has not ended. */
    volatile long total = -1;

    /** In the pool, so that control messages are not counted as copies. */
    final MemorySegment answer;

    /**
     * The receive for the end of a client that sends expected messages. The end is expected too,
     * because the thread that takes them seldom looks for unexpected ones while it spins. The death
     * of a client fails the receive, whatever the client sends: nothing else may tell of it.
     */
    private final MemorySegment end;

    private long endId;

    private final Bmi bmi;
    private final CompletionContext context;
    private final boolean touches;
    private final Slot[] slots;
    private final MemorySegment[] memory;
    private @Nullable PendingReceives pending;

    /** The user data of the receive for the client's end. */
    record End(ServerFlow flow) {}

    /** The buffers and state of one message under way. */
    static final class Slot {
        final ServerFlow flow;
        final int tag;
        final MemorySegment[] buffers = new MemorySegment[2];
        int current;
        long receiveId;
        long number;
        boolean sending;
        boolean receivedDuringSend;

        Slot(ServerFlow flow, int tag) {
            this.flow = flow;
            this.tag = tag;
        }
    }

    ServerFlow(Bmi bmi, CompletionContext context, PeerAddress peer, int number, Phase phase) {
        this.bmi = bmi;
        this.context = context;
        this.peer = peer;
        this.number = number;
        this.phase = phase;
        touches = phase.options().touch() && phase.pattern() == Pattern.STREAM;
        boolean expected = phase.hasExpectedRequests();
        boolean replies = phase.pattern().hasUnexpectedRequests();
        slots = new Slot[expected || replies ? phase.outstanding() : 0];
        int each = phase.pattern() == Pattern.PINGPONG ? 2 : 1;
        memory = new MemorySegment[slots.length * each + 1];
        answer = allocate(PhaseProtocol.BYTES);
        boolean opened = false;
        try {
            end = memory[slots.length * each] = allocate(PhaseProtocol.BYTES);
            for (int i = 0; i < slots.length; i++) {
                slots[i] = new Slot(this, tagOf(i));
                for (int k = 0; k < each; k++) {
                    slots[i].buffers[k] = memory[i * each + k] = allocate(phase.bytes());
                }
            }
            if (phase.pending() > 0) {
                pending = new PendingReceives(context, peer, number, phase.pending());
            }
            endId = context.postReceive(peer, end, PhaseProtocol.controlTag(number), new End(this));
            abandoned = PostResult.isRefused(endId);
            for (int i = 0; expected && i < slots.length; i++) {
                postReceive(slots[i]);
            }
            opened = true;
        } finally {
            if (!opened) {
                close();
                freeAnswer();
            }
        }
    }

    /** Messages of a stream share a tag and match in order; other messages have a tag each. */
    private int tagOf(int slot) {
        return PhaseProtocol.dataTag(number, phase.pattern() == Pattern.STREAM ? 0 : slot);
    }

    private MemorySegment allocate(long bytes) {
        MemorySegment block = peer.allocate(bytes);
        if (block == null) {
            throw new BmiException(
                    ErrorCode.ENOBUFS,
                    "The server's pool has no room for "
                            + (memory.length - 1)
                            + " messages of "
                            + phase.bytes()
                            + " bytes.");
        }
        return block;
    }

    /** Posts receives until one is pending; a receive completes at once if its message is there. */
    private void postReceive(Slot slot) {
        boolean again = true;
        while (again) {
            slot.number = posted++;
            long result = context.postReceive(peer, slot.buffers[slot.current], slot.tag, slot);
            slot.receiveId = result;
            if (PostResult.isRefused(result)) {
                abandoned = true;
            }
            again = PostResult.isCompleted(result) && arrived(slot);
        }
    }

    /** The receive of a slot is done. */
    void received(Slot slot) {
        if (arrived(slot)) {
            postReceive(slot);
        }
    }

    /** Counts a message in a slot's current buffer; returns whether the slot receives again. */
    private boolean arrived(Slot slot) {
        MemorySegment message = slot.buffers[slot.current];
        slot.receiveId = 0;
        boolean isStream = phase.pattern() == Pattern.STREAM;
        if (phase.options().verify()) {
            // The messages of a stream match its receives in order, and have their numbers in it.
            long size = message.byteSize();
            check(message, 0, isStream ? slot.number : Contents.seedOf(message, 0, size), size);
        }
        touch(message, 0, message.byteSize());
        if (isStream) {
            received.setPlain(received.getPlain() + 1);
            return true;
        }
        if (slot.sending) {
            slot.receivedDuringSend = true;
        } else {
            echo(slot);
        }
        return false;
    }

    private void echo(Slot slot) {
        MemorySegment message = slot.buffers[slot.current];
        slot.current ^= 1;
        slot.sending = true;
        postReceive(slot);
        long result = context.postSend(peer, message, slot.tag, slot);
        if (PostResult.isRefused(result)) {
            abandoned = true;
        } else if (PostResult.isCompleted(result)) {
            sent(slot);
        }
    }

    /** Takes the client's number of sent messages. */
    void ended() {
        endId = 0;
        total = PhaseProtocol.total(end, 0);
    }

    /** The reply of a slot is complete. */
    void sent(Slot slot) {
        slot.sending = false;
        if (slot.receivedDuringSend) {
            slot.receivedDuringSend = false;
            echo(slot);
        }
    }

    /** Checks or reads an unexpected message, as the phase wants it. */
    void look(MemorySegment memory, long offset, long size) {
        if (phase.options().verify()) {
            long seed = Contents.seedOf(memory, offset, size);
            check(memory, offset, seed, size);
            seedSum.getAndAdd(seed);
        }
        touch(memory, offset, size);
    }

    private void check(MemorySegment memory, long offset, long seed, long size) {
        if (!Contents.isRight(memory, offset, size, seed)) {
            wrong.getAndIncrement();
        }
    }

    private void touch(MemorySegment memory, long offset, long size) {
        if (touches) {
            readSum += Contents.readLines(memory, offset, size);
        }
    }

    /**
     * How many messages had wrong contents. Several threads may take the unexpected messages of a
     * stream, so their order is not known. The sum of their seeds shows whether one is missing and
     * another one came twice.
     */
    long wrong() {
        boolean sums =
                phase.options().verify()
                        && phase.pattern() == Pattern.STREAM
                        && !phase.hasExpectedRequests()
                        && total >= 0;
        boolean isOther = sums && seedSum.get() != Contents.sumOfSeeds(total, phase.bytes());
        return wrong.get() + (isOther ? 1 : 0);
    }

    /** The reply to a request; if the phase checks contents, it has those of the request. */
    MemorySegment reply(int slot, MemorySegment memory, long offset, long size) {
        MemorySegment reply = slots[slot % slots.length].buffers[0];
        if (phase.options().verify()) {
            Contents.fill(reply, Contents.seedOf(memory, offset, size));
        }
        return reply;
    }

    /** Whether the server has received everything that the client sent. */
    boolean isComplete() {
        long expected = total;
        if (abandoned) {
            return true;
        }
        return expected >= 0 && (phase.pattern() != Pattern.STREAM || received.get() >= expected);
    }

    /** Cancels its receives; its thread calls this when the client sends nothing more. */
    @Override
    public void close() {
        if (pending != null) {
            pending.close();
        }
        for (Slot slot : slots) {
            if (slot != null) { // all are there, unless the constructor has failed
                takeBack(slot.receiveId);
            }
        }
        takeBack(endId);
        freeAll();
    }

    private void takeBack(long receiveId) {
        if (PostResult.isPending(receiveId)) {
            context.cancel(receiveId);
            context.test(receiveId, Completions.ofCapacity(1), ServerLoop.PATIENCE_MS);
        }
    }

    void freeAnswer() {
        bmi.free(answer);
    }

    private void freeAll() {
        for (MemorySegment block : memory) {
            if (block != null) {
                bmi.free(block);
            }
        }
    }
}
