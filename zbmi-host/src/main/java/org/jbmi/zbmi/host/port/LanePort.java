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
 *
 * <p>Only the thread that runs the engine calls its methods, except for {@link #ring}, and after
 * its end the thread that closes the host. None waits but {@link #closeAtEnd}. None allocates,
 * except when the backlog grows or is searched for void offers, or at the close.
 */
public class LanePort {
    /** {@link #poll}: a message was received. */
    public static final int RECEIVED = 1;

    /** {@link #poll}: there is no message. */
    public static final int EMPTY = 0;

    /**
     * {@link #poll}: the session must end, since the peer broke the protocol, or no message can be
     * sent to it.
     */
    public static final int BROKEN = -1;

    /** {@link #signal}: no thread sleeps, or the sleeping ones were woken. */
    public static final int SIGNALLED = 0;

    /** {@link #signal}: the peer sleeps in a selector; a byte on its socket is needed. */
    public static final int NEEDS_BYTE = 1;

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

    /** Whether anything is in the backlog, or would be if more could be kept. */
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

    /**
     * Takes the next message of the peer. Broken also when nothing can be sent: a backlog that
     * stays would keep the engine awake.
     *
     * @return {@link #RECEIVED}, {@link #EMPTY} or {@link #BROKEN}
     */
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

    /**
     * Sends a message, at once or, if there is no room, as soon as there is. After that the session
     * has to be flushed, or made cold again: only then does its peer ring when there is room.
     *
     * @param message copied
     * @return false, once, if more is unread than can be kept, so that its session must end. After
     *     that nothing is received from it, and only what is kept already goes out
     */
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
        hasBacklog = true; // also if it is empty: nothing may overtake a message that is lost
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

    /** Whether no message waits, and there is room for the next. */
    public boolean mayPublish() {
        return !hasBacklog && outbound.hasRoom();
    }

    /**
     * Publishes a message if no message waits before it and there is room, and orders it before
     * whatever the engine reads next.
     *
     * @param message copied
     * @return whether it is published; if not, nothing was done
     */
    public boolean publish(Message message) {
        isFenced = !hasBacklog && offer(message);
        if (isFenced) {
            // It serves both reads that follow: of the count of cancels, and of the sleep word.
            memory.fullFence();
        }
        return isFenced;
    }

    /** The peer sees now what is counted for it, unless something said earlier waits for room. */
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

    /** Sends messages that had to wait for room. */
    public int flush() {
        int flushed = 0;
        while (hasBacklog && !backlog.isEmpty()) {
            backlog.peek(waitingMessage);
            if (!offer(waitingMessage)) {
                break;
            }
            backlog.removeFirst();
            hasBacklog = isGivenUp || !backlog.isEmpty();
            flushed++;
        }
        settle();
        return flushed;
    }

    /**
     * Wakes the peer if it sleeps and anything was sent since the last call.
     *
     * @return {@link #SIGNALLED} or {@link #NEEDS_BYTE}
     */
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

    /**
     * Whether {@link #signal} may be put off: the peer was not woken for some events, and all of
     * them {@link ClientEvents#mayComeLate may come late}.
     *
     * @return false also if there are none
     */
    public boolean hasLateEventsOnly() {
        return hasLateEvents && !mustSignal;
    }

    /**
     * Announces that the engine will not poll here again until the doorbell rings, then polls once
     * more.
     *
     * @return false if there is a message to poll, or room for the backlog: poll again
     */
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

    /**
     * What is wrong with the session.
     *
     * @return a sentence, or null while it is whole
     */
    public @Nullable String brokenReason() {
        return brokenReason;
    }

    /** Releases what carries the messages, if that is not the segment. No call may follow. */
    public void close() {}

    /**
     * The same at the end of the host, which may then wait for a limited time. What another thread
     * is still making for the port must go before the process does.
     */
    public void closeAtEnd() {
        close();
    }
}
