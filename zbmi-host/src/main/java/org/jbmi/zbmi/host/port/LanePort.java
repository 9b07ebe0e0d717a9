package org.jbmi.zbmi.host.port;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.link.DoorbellRinger;
import org.jbmi.zbmi.link.LaneConsumer;
import org.jbmi.zbmi.link.LaneProducer;
import org.jbmi.zbmi.link.MessageBacklog;
import org.jbmi.zbmi.link.MessageSink;
import org.jbmi.zbmi.link.MessageSource;
import org.jbmi.zbmi.link.PeerSleep;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/**
 * The engine's end of a session. Its messages go through lanes in the segment, or through another
 * transport. Words in the segment show when to poll, when there is room, and which threads to wake.
 */
public class LanePort implements EnginePort {
    /** As much room as a walk through a full backlog must make; a correct peer's makes more. */
    private static final int LEAST_FREED = 256;

    private static final int LEAST_FREED_SHARE = 8;

    private final SharedMemory memory;
    private final Waiting waiting;
    private final SessionArea area;
    private final MessageSource inbound;
    private final MessageSink outbound;
    private final MessageBacklog backlog;
    private final int leastFreed;
    private final DoorbellRinger ringer;
    private final Message waitingMessage = new Message();

    /** Whether anything is in the backlog, or was when there was no memory to keep more. */
    private boolean hasBacklog;

    private boolean mustSignal;
    private boolean hasLateEvents;

    /** How many sends were accepted that are counted, and how many the peer was told of. */
    private int accepted;

    private int acceptedTold;

    /** Whether a full fence stands behind the last message. */
    private boolean isFenced;

    private @Nullable String brokenReason;

    /** Whether more is unread than can be kept, so that the session ends in this round. */
    private boolean isGivenUp;

    /**
     * Opens the port of a session, and makes its area ready. No process may use an earlier
     * generation of the session.
     *
     * @param welcome the welcome that the peer will get
     * @param maxBacklog most messages that may wait for room
     */
    public LanePort(EngineSegment segment, Welcome welcome, int maxBacklog) {
        this(
                segment,
                welcome,
                maxBacklog,
                LaneConsumer.ofEngine(
                        segment.memory(), areaOf(segment, welcome), welcome.generation()),
                LaneProducer.ofEngine(
                        segment.memory(), areaOf(segment, welcome), welcome.generation()));
    }

    /**
     * Opens the port of a session whose messages do not go through lanes, and makes its area ready.
     *
     * @param welcome the welcome that the peer will get
     * @param maxBacklog most messages that may wait for room
     */
    public LanePort(
            EngineSegment segment,
            Welcome welcome,
            int maxBacklog,
            MessageSource inbound,
            MessageSink outbound) {
        this.memory = segment.memory();
        this.waiting = segment.waiting();
        this.area = areaOf(segment, welcome);
        this.backlog = new MessageBacklog(maxBacklog);
        this.leastFreed = Math.min(LEAST_FREED, maxBacklog / LEAST_FREED_SHARE);
        this.inbound = inbound;
        this.outbound = outbound;
        this.ringer = new DoorbellRinger(memory, segment.map(), area, waiting, () -> {});
        area.reset(memory, welcome.generation());
    }

    private static SessionArea areaOf(EngineSegment segment, Welcome welcome) {
        return segment.map().session(welcome.session());
    }

    // Broken also when nothing can be sent: a backlog that stays would keep the engine awake.
    @Override
    public int poll(Message into) {
        if (brokenReason != null) {
            return BROKEN;
        }
        if (isGivenUp) {
            return EMPTY;
        }
        int result = inbound.poll(into);
        if (result == MessageSource.BROKEN) {
            brokenReason = "it sent what no peer can have written";
        } else if (inbound.takeCreditDue()) {
            mustSignal = true;
        }
        return result;
    }

    @Override
    public boolean send(Message message) {
        if (message.kind() == ClientEvents.ACCEPTED) {
            accepted++;
            hasLateEvents = true;
            return true;
        }
        if (isGivenUp || (!hasBacklog && offer(message)) || keep(message)) {
            return true;
        }
        isGivenUp = true;
        try {
            int before = backlog.size();
            dropVoidOffers();
            // Else each message would cost such a walk, if one offer at a time is void.
            isGivenUp = before - backlog.size() < leastFreed || !keep(message);
        } catch (OutOfMemoryError | LinkageError e) {
            backlog.clear(); // the walk finds no memory, and may have changed their order
        }
        return !isGivenUp;
    }

    private boolean keep(Message message) {
        boolean isKept = backlog.add(message);
        hasBacklog = !backlog.isEmpty();
        return isKept;
    }

    // Each cancel or deadline of the server takes offers back and makes new ones. So a client that
    // reads nothing for a while may get any number of offers, and is not at fault. Of the offers
    // still here none was read, so an offer that is not the last message about its operation is
    // void. One that answers a call stays.
    private void dropVoidOffers() {
        Map<Long, Integer> left = new HashMap<>();
        backlog.retain(
                each -> {
                    if (ClientEvents.isOfOperation(each)) {
                        left.merge(ClientEvents.reference(each), 1, Integer::sum);
                    }
                    return true;
                },
                waitingMessage);
        backlog.retain(
                each -> {
                    boolean isLast =
                            !ClientEvents.isOfOperation(each)
                                    || left.merge(ClientEvents.reference(each), -1, Integer::sum)
                                            == 0;
                    return isLast
                            || each.kind() != ClientEvents.GRANT
                            || ClientEvents.correlation(each) != 0;
                },
                waitingMessage);
    }

    @Override
    public boolean mayPublish() {
        return !hasBacklog && outbound.hasRoom();
    }

    @Override
    public boolean publish(Message message) {
        isFenced = !hasBacklog && offer(message);
        if (isFenced) {
            // It serves both reads that follow: of the count of cancels, and of the sleep word.
            memory.fullFence();
        }
        return isFenced;
    }

    // Before what comes later, and not before what was said earlier and still waits for room.
    @Override
    public void settle() {
        if (accepted != acceptedTold && !hasBacklog) {
            acceptedTold = accepted;
            isFenced = false;
            memory.setIntRelease(area.acceptedOffset(), accepted);
            hasLateEvents = true;
        }
    }

    private boolean offer(Message message) {
        settle();
        int result = outbound.offer(message);
        if (result == MessageSink.BROKEN) {
            brokenReason =
                    "nothing can be sent to it: see the log, or it has miscounted what it read";
        }
        boolean isSent = result == MessageSink.SENT;
        isFenced = false;
        if (isSent && ClientEvents.mayComeLate(message)) {
            hasLateEvents = true;
        } else {
            mustSignal |= isSent;
        }
        return isSent;
    }

    @Override
    public int flush() {
        int flushed = 0;
        while (hasBacklog && !backlog.isEmpty()) {
            backlog.peek(waitingMessage);
            if (!offer(waitingMessage)) {
                break;
            }
            backlog.removeFirst();
            hasBacklog = !backlog.isEmpty();
            flushed++;
        }
        settle();
        return flushed;
    }

    @Override
    public int signal() {
        settle();
        if (!mustSignal && !hasLateEvents) {
            return SIGNALLED;
        }
        mustSignal = false;
        hasLateEvents = false;
        long word = area.peerSleepWordOffset();
        boolean needsByte =
                isFenced
                        ? PeerSleep.signalAfterFence(memory, word, waiting)
                        : PeerSleep.signal(memory, word, waiting);
        return needsByte ? NEEDS_BYTE : SIGNALLED;
    }

    @Override
    public boolean hasLateEventsOnly() {
        return hasLateEvents && !mustSignal;
    }

    @Override
    public boolean goCold() {
        memory.setIntVolatile(area.armedOffset(), 1);
        if (hasBacklog) {
            memory.setIntVolatile(area.engineWantsCreditOffset(), 1);
        }
        memory.fullFence();
        boolean isQuiet =
                !inbound.hasMessage() && (!hasBacklog || outbound.room() == MessageSink.FULL);
        if (!isQuiet) {
            memory.setIntVolatile(area.armedOffset(), 0);
        }
        return isQuiet;
    }

    /**
     * Makes the engine poll this port, as a message of the peer would. A thread that has opened the
     * carrier's queues calls this. Any thread may.
     */
    public void ring() {
        ringer.ring();
    }

    @Override
    public @Nullable String brokenReason() {
        return brokenReason;
    }
}
