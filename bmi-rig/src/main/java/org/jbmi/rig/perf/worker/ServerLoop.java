package org.jbmi.rig.perf.worker;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.jbmi.rig.perf.phase.Meter;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.WaitMode;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** One thread of the server: takes messages and answers them. */
final class ServerLoop implements Runnable {
    /** How long the end of a phase may take. */
    static final long PATIENCE_MS = 10_000;

    private static final int ROOM = 64;
    private static final long SHORT_IDLE_MS = 1;
    private static final long FORWARDING_PAUSE_NS = 1_000_000;

    /**
     * The pause of a spinning thread while the rig measures another side on the same processors.
     */
    private static final long QUIET_PAUSE_NS = 1_000_000;

    private static final int LOOK_EVERY = 64;
    private static final int FEW_FLOWS = 16;
    private static final Object REPLY = "reply";

    private final Bmi bmi;
    private final WaitMode wait;
    private final ServerFlows flows;
    private final Meter meter;
    private final CompletionContext context;
    private final Completions done = Completions.ofCapacity(ROOM);
    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(ROOM);
    private final List<ServerFlow> own = new ArrayList<>();
    private int receiving;
    private int replies;
    private int emptyRounds;
    private int emptyScans;

    /** This thread's processor time when it began what is no part of a message. */
    private long agreeingSinceNs;

    /**
     * Whether a flow may be complete. It ends after the batch, when all messages are counted that
     * came with its end.
     */
    private boolean mayEnd;

    ServerLoop(Bmi bmi, WaitMode wait, ServerFlows flows, Meter meter) {
        this.bmi = bmi;
        this.wait = wait;
        this.flows = flows;
        this.meter = meter;
        context = bmi.openContext();
        flows.addThread();
    }

    @Override
    public void run() {
        meter.watchThisThread();
        while (!flows.isStopped()) {
            try {
                round();
            } catch (BmiException e) {
                if (!flows.isStopped()) {
                    throw e;
                }
            }
        }
    }

    /** Tests once for what has come, and deals with it. */
    void round() {
        if (flows.isQuiet() && !wait.isBlocking()) {
            // A test call with an idle time would poll all the time as well, as the knob says.
            if (messages(0) == 0) {
                LockSupport.parkNanos(QUIET_PAUSE_NS);
            }
            return;
        }
        long idleMs = idleMs();
        int work;
        ShippedServer shipped = flows.shipped();
        if (shipped != null) {
            work = shipped.process(idleMs);
            if (receiving + replies > 0 || isTimeToLook(idleMs)) {
                work += messages(0) + completions(0);
            }
        } else if (flows.isForwarding()) {
            work = messages(0) + completions(0);
            if (work == 0) {
                LockSupport.parkNanos(FORWARDING_PAUSE_NS); // other threads do the work
            }
        } else if (receiving > 0) {
            work = completions(idleMs);
            if (work == 0 && isTimeToLook(idleMs)) {
                work = messages(0);
            }
        } else if (replies > 0) {
            work = messages(0);
            work += completions(work == 0 ? idleMs : 0);
        } else {
            work = messages(idleMs);
            if (work == 0 && isTimeToLook(idleMs)) {
                work = completions(0);
            }
        }
        if (mayEnd) {
            mayEnd = false;
            endFlows();
        }
        if (work == 0) {
            // With many flows, not every call that finds nothing looks through them.
            if ((own.size() <= FEW_FLOWS || idleMs > 0 || ++emptyScans % LOOK_EVERY == 0)
                    && hasComplete()) {
                endFlows();
            }
            wait.pause();
        }
    }

    /** Whether to look for what comes seldom: a new client, or the death of one. */
    private boolean isTimeToLook(long idleMs) {
        return idleMs > 0 || ++emptyRounds % LOOK_EVERY == 0;
    }

    /**
     * How long a test call may wait. If another thread takes the end of a stream, the thread that
     * owns the stream hears of it only when its wait is over. The time of the stream counts until
     * then.
     */
    long idleMs() {
        long idleMs = flows.isQuiet() ? WaitMode.BLOCK.idleMs() : wait.idleMs();
        return flows.hasSeveralThreads() && ownsUnexpectedStream()
                ? Math.min(idleMs, SHORT_IDLE_MS)
                : idleMs;
    }

    private boolean ownsUnexpectedStream() {
        return !own.isEmpty()
                && own.getFirst().phase.pattern() == Pattern.STREAM
                && own.getFirst().phase.options().unexpected();
    }

    private int completions(long idleMs) {
        int count = context.testContext(done, idleMs);
        for (int i = 0; i < count; i++) {
            completed(done.userData(i), done.id(i), done.outcome(i).negativeValue());
        }
        return count;
    }

    private void completed(@Nullable Object what, long id, int error) {
        if (REPLY.equals(what)) {
            replies--;
        } else if (what instanceof ServerFlow.Slot slot) {
            boolean received = slot.receiveId == id;
            if (error != 0) {
                slot.flow.abandoned = true;
            } else if (received) {
                slot.flow.received(slot);
                mayEnd |= slot.flow.total >= 0;
            } else {
                slot.flow.sent(slot);
            }
            mayEnd |= slot.flow.abandoned;
        } else if (what instanceof ServerFlow.End end) {
            if (error != 0) {
                end.flow().abandoned = true;
            } else {
                end.flow().ended();
            }
            mayEnd = true;
        }
    }

    private int messages(long idleMs) {
        int count = bmi.testUnexpected(messages, idleMs);
        ServerFlow last = null;
        long run = 0;
        for (int i = 0; i < count; i++) {
            int tag = messages.tag(i);
            if (PhaseProtocol.isControl(tag)) {
                agreeingSinceNs = meter.ownNs();
                control(i, tag);
                meter.leaveOut(agreeingSinceNs);
                continue;
            }
            ServerFlow flow = flows.find(messages.peer(i), PhaseProtocol.flowOf(tag));
            if (flow != null) {
                if (flow != last && last != null) {
                    last.received.getAndAdd(run);
                    run = 0;
                }
                last = flow;
                run++;
                take(flow, i, tag);
            }
        }
        messages.freeAll();
        if (last != null) {
            last.received.getAndAdd(run);
        }
        return count;
    }

    private void take(ServerFlow flow, int i, int tag) {
        Phase phase = flow.phase;
        flow.look(messages.memory(i), messages.offset(i), messages.sizeBytes(i));
        if (phase.pattern().hasUnexpectedRequests()) {
            MemorySegment reply =
                    flow.reply(
                            tag & PhaseProtocol.MAX_OUTSTANDING - 1,
                            messages.memory(i),
                            messages.offset(i),
                            messages.sizeBytes(i));
            long result = context.postSend(flow.peer, reply, tag, REPLY);
            if (PostResult.isPending(result)) {
                replies++;
            } else if (PostResult.isRefused(result)) {
                flow.abandoned = true;
            }
        }
    }

    private void control(int i, int tag) {
        MemorySegment memory = messages.memory(i);
        long offset = messages.offset(i);
        PeerAddress peer = messages.peer(i);
        int number = PhaseProtocol.flowOf(tag);
        if (PhaseProtocol.isRequest(memory, offset, messages.sizeBytes(i))) {
            int what = PhaseProtocol.what(memory, offset);
            if (what == PhaseProtocol.OPEN) {
                open(peer, number, memory, offset);
            } else {
                ServerFlow flow = flows.find(peer, number);
                if (flow != null && what == PhaseProtocol.READ) {
                    answer(flow, costs());
                } else if (flow != null && what == PhaseProtocol.END) {
                    flow.total = PhaseProtocol.total(memory, offset);
                }
            }
            mayEnd = true;
        }
    }

    private void open(PeerAddress peer, int number, MemorySegment memory, long offset) {
        Phase phase;
        try {
            phase = PhaseProtocol.phase(memory, offset);
        } catch (IllegalArgumentException e) {
            refuse(peer, number, ErrorCode.EINVAL.negativeValue());
            return;
        }
        ServerFlow before = flows.find(peer, number);
        if (before != null) {
            replace(before);
        }
        ServerFlow flow;
        try {
            flows.serve(phase.pattern(), bmi);
            flow = new ServerFlow(bmi, context, peer, number, phase);
        } catch (BmiException e) {
            refuse(peer, number, e.code().negativeValue());
            return;
        }
        own.add(flow);
        flows.add(flow);
        if (phase.hasExpectedRequests()) {
            receiving++;
        }
        answer(flow, costs());
    }

    /**
     * Ends a flow whose client begins it again. Another thread may own it: then that thread frees
     * its memory, as it does when the client has gone.
     */
    private void replace(ServerFlow before) {
        if (own.contains(before)) {
            close(before);
            before.freeAnswer();
        } else {
            flows.remove(before);
            before.abandoned = true;
        }
    }

    /** What messages have cost: without what this thread agrees with clients just now. */
    private Meter.Reading costs() {
        agreeingSinceNs = meter.leaveOut(agreeingSinceNs);
        return meter.read();
    }

    private boolean hasComplete() {
        for (int i = 0; i < own.size(); i++) {
            if (own.get(i).isComplete()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Ends the complete flows of this thread. What that takes is no cost of messages. With a
     * thousand clients it would be a third of the figure, as each sends only some dozens of
     * messages in a round.
     */
    private void endFlows() {
        agreeingSinceNs = meter.ownNs();
        for (int i = own.size() - 1; i >= 0; i--) {
            ServerFlow flow = own.get(i);
            if (flow.isComplete()) {
                Meter.Reading reading = costs();
                close(flow);
                if (!flow.abandoned) {
                    answer(flow, reading);
                }
                flow.freeAnswer();
            }
        }
        meter.leaveOut(agreeingSinceNs);
    }

    private void close(ServerFlow flow) {
        if (own.remove(flow)) {
            flows.remove(flow);
            if (flow.phase.hasExpectedRequests()) {
                receiving--;
            }
            finishReplies();
            flow.close();
        }
    }

    /**
     * Waits until all replies are complete, since they use the flow's memory; the client has them
     * all, or has gone.
     */
    private void finishReplies() {
        long endMs = System.currentTimeMillis() + PATIENCE_MS;
        while (replies > 0 && System.currentTimeMillis() < endMs) {
            completions(1);
        }
    }

    private void answer(ServerFlow flow, Meter.Reading reading) {
        PhaseProtocol.answer(flow.answer, reading, flow.wrong());
        send(flow.peer, flow.answer, flow.number);
    }

    private void refuse(PeerAddress peer, int number, int error) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment refusal = arena.allocate(PhaseProtocol.BYTES, Long.BYTES);
            PhaseProtocol.refuse(refusal, error);
            send(peer, refusal, number);
        }
    }

    private void send(PeerAddress peer, MemorySegment answer, int number) {
        long result = context.postSend(peer, answer, PhaseProtocol.controlTag(number));
        if (PostResult.isPending(result)) {
            context.test(result, done, PATIENCE_MS);
        }
    }
}
