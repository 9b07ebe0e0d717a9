package org.jbmi.zbmi.link;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.spi.SpinLock;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.attach.PeerSocket;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.jspecify.annotations.Nullable;

import java.nio.channels.SelectableChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A peer's end of a session. Its messages go through lanes in the segment, or through another
 * transport. Words in the segment show when to poll, when there is room, and which threads to wake.
 *
 * <p>Two short locks, one for sending and one for dispatching, make the threads of this process one
 * producer and one consumer. A thread that waits for a reply dispatches for all threads if it gets
 * the second lock. Otherwise, or if no message comes, it sleeps on the session's word. The engine
 * wakes it. A thread that dispatches another thread's reply wakes it.
 */
public class LaneChannel implements PeerChannel {
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long VIRTUAL_PARK_NS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final int DISPATCH_LIMIT = 256;

    /** More messages than any channel holds: bounds a hostile host that keeps sending. */
    private static final int MOST_LEFT = 1 << 16;

    private static final int IDLE_POLLS_PER_CHECK = 4096;
    private static final long CHECK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MOST_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int MOST_UNSAID = 1 << 24;
    private static final int SPARE = 64;

    private final PeerAttachment attachment;
    private final PeerEvents events;
    private final NanoClock clock;
    private final SessionArea area;
    private final SharedMemory memory;
    private final long acceptedWord;
    private final LaneSender sender;
    private final MessageSource inbound;
    private final PeerSleep sleep;
    private final PeerSocket socket;
    private final CallTable calls = new CallTable();
    private final BooleanSupplier isOver = this::isBroken;
    private final AnswerWait<CallTable.Call> answers;
    private final SpinLock dispatchLock = new SpinLock();
    private final Message received = new Message();
    private final AtomicReference<@Nullable String> brokenReason = new AtomicReference<>();

    private volatile WaitPolicy policy = WaitPolicy.of(WaitPolicy.Mode.BLOCK, 0);
    private volatile boolean isWakePending;
    private int idlePolls;

    /** Rounds of dispatching that found something. */
    private int heard;

    private int heardAtSend = -1;
    private long checkedNs;

    /** So many counted sends are known to be accepted; guarded by the lock of dispatching. */
    private int accepted;

    /** Whether looks do nothing any more; guarded by the lock of dispatching. */
    private boolean isClosed;

    /** Whether the lead has looked at its socket since the host said that it is closed. */
    private boolean isEndSeen;

    private int sleepValue;
    private int sleepKind;

    /**
     * Opens the channel of a session.
     *
     * @param attachment of the session; owned by the channel from now on
     */
    public LaneChannel(PeerAttachment attachment, PeerEvents events) {
        this(
                attachment,
                events,
                LaneConsumer.ofPeer(
                        attachment.memory(), areaOf(attachment), attachment.welcome().generation()),
                LaneProducer.ofPeer(
                        attachment.memory(),
                        areaOf(attachment),
                        attachment.welcome().generation()));
    }

    /**
     * Opens the channel of a session whose messages do not go through lanes.
     *
     * @param attachment of the session; owned by the channel from now on
     */
    @SuppressWarnings("this-escape") // into what calls it later only
    protected LaneChannel(
            PeerAttachment attachment,
            PeerEvents events,
            MessageSource inbound,
            MessageSink outbound) {
        this.attachment = attachment;
        this.events = events;
        this.clock = attachment.clock();
        this.socket = attachment.peerSocket();
        this.area = areaOf(attachment);
        this.memory = attachment.memory();
        this.acceptedWord = area.acceptedOffset();
        this.answers =
                new AnswerWait<>(
                        clock,
                        SLICE_NS,
                        this::progress,
                        events::afterDispatch,
                        isOver,
                        CallTable.Call::isAnswered,
                        CallTable.Call::giveUp,
                        this::sleepForReply);
        this.inbound = inbound;
        this.sleep =
                new PeerSleep(
                        attachment.memory(), area.peerSleepWordOffset(), attachment.waiting());
        this.sender =
                new LaneSender(
                        memory,
                        area,
                        outbound,
                        sleep,
                        new DoorbellRinger(
                                memory, attachment.map(), area, attachment.waiting(), socket::ring),
                        events.sendLock(),
                        maxUnsaid(attachment.welcome()));
    }

    // The most notes that can be due. For each operation: a post and a cancel, or a deadline and a
    // cancel. Also the end of each grant, and the free of each unexpected message.
    private static int maxUnsaid(Welcome welcome) {
        boolean isServer = welcome.session() == SegmentMap.SERVER_SESSION;
        long blocks = isServer ? welcome.geometry().mostUnexpected() : 0;
        long most = 2L * welcome.limits().maxOperations() + SessionArea.WINDOWS + blocks + SPARE;
        return (int) Math.min(MOST_UNSAID, most);
    }

    private static SessionArea areaOf(PeerAttachment attachment) {
        return attachment.map().session(attachment.welcome().session());
    }

    /** Whether the engine may send this message to this kind of peer; here, to a server. */
    protected boolean isWellFormed(Message message) {
        return ServerEvents.isWellFormed(message);
    }

    /** The correlation of the call that a message answers, 0 or less for none; here, a server's. */
    protected long correlationOf(Message message) {
        return ServerEvents.isReply(message) ? ServerEvents.correlation(message) : 0;
    }

    /**
     * Gets a reply before its caller, in the order of the lane, and may change it.
     *
     * @param reply to a call that is waited for
     */
    protected void beforeReply(Message reply) {}

    /** Releases what carries the messages, if that is not the segment. */
    protected void closeTransport() {}

    /** The result of the handshake. */
    protected final PeerAttachment attachment() {
        return attachment;
    }

    /** The session's part of the segment. */
    protected final SessionArea area() {
        return area;
    }

    /** The host's welcome. */
    public final Welcome welcome() {
        return attachment.welcome();
    }

    /** How its callers wait. */
    protected final WaitPolicy policy() {
        return policy;
    }

    @Override
    public final void waitBy(WaitPolicy newPolicy) {
        policy = newPolicy;
    }

    @Override
    public int call(Message request, Message reply, long timeoutNs) {
        long startNs = clock.nanoTime();
        CallTable.Call call = calls.take(clock, timeoutNs, isOver);
        if (call == null) {
            return isBroken() ? BROKEN : NOT_SENT;
        }
        try {
            request.setWord(0, call.correlation());
            int sent = offer(request);
            if (sent == TIMED_OUT) {
                sent = awaitRoom(request, startNs, timeoutNs);
            }
            int result = sent == TIMED_OUT ? NOT_SENT : sent;
            if (sent == OK) {
                result = answers.await(call, policy, startNs, timeoutNs);
            }
            if (result == OK) {
                reply.copyFrom(call.reply());
            }
            return result;
        } finally {
            calls.release(call);
        }
    }

    private boolean isBroken() {
        return brokenReason.get() != null;
    }

    // The sleeper announces its sleep, then reads the reply; deliver() stores the reply, then reads
    // who sleeps. At least one of the two sees the other.
    private void sleepForReply(CallTable.Call call, long timeoutNs) {
        call.sleeps(Thread.currentThread());
        if (Thread.currentThread().isVirtual()) {
            LockSupport.parkNanos(Math.min(timeoutNs, VIRTUAL_PARK_NS));
        } else {
            int value = sleep.enter(PeerSleep.ON_WORD);
            if (!call.isAnswered() && !isBroken() && !hasNews()) {
                sleep.await(value, timeoutNs);
            }
            sleep.leave(PeerSleep.ON_WORD);
            checkSocket();
        }
        call.sleeps(null);
    }

    @Override
    public final int note(Message note, long timeoutNs) {
        int result = offer(note);
        return result == TIMED_OUT ? awaitRoom(note, clock.nanoTime(), timeoutNs) : result;
    }

    /** See {@link ClientLink#tryNote}. */
    public final int tryNote(Message note) {
        return isBroken() ? NOT_SENT : sender.tryNote(note);
    }

    /** See {@link ClientLink#wakeEngine}. */
    public final void wakeEngine() {
        sender.wakeEngine();
    }

    // All waits of one call share one timeout.
    private int awaitRoom(Message note, long startNs, long timeoutNs) {
        int result = TIMED_OUT;
        WaitPolicy waits = policy;
        long lookNs = waits.lookNs();
        long waitedNs = clock.nanoTime() - startNs;
        while (result == TIMED_OUT && waitedNs < timeoutNs) {
            progress();
            if (waitedNs < lookNs) {
                waits.pause();
            } else {
                sender.awaitRoom(Math.min(timeoutNs - waitedNs, SLICE_NS));
                checkSocket();
                progress(); // that poll may have read the byte that wakes the lead
            }
            result = offer(note);
            waitedNs = clock.nanoTime() - startNs;
        }
        if (result == OK) {
            waits.ended(lookNs, waitedNs);
        }
        return result;
    }

    /** See {@link ClientLink#lookForRoom}. */
    public final boolean lookForRoom() {
        WaitPolicy waits = policy;
        long lookNs = Math.min(waits.lookNs(), MOST_LOOK_NS);
        long startNs = clock.nanoTime();
        boolean hasRoom = false;
        long waitedNs = 0;
        while (!hasRoom && waitedNs < lookNs && !isBroken()) {
            waits.pause();
            progress();
            hasRoom = sender.mayOffer();
            waitedNs = clock.nanoTime() - startNs;
        }
        waits.ended(lookNs > 0, hasRoom);
        return hasRoom;
    }

    private int offer(Message message) {
        if (isBroken()) {
            return BROKEN;
        }
        int result = sender.offer(message);
        if (result == MessageSink.BROKEN) {
            failToSend();
            return BROKEN;
        }
        return result == MessageSink.SENT ? OK : TIMED_OUT;
    }

    private void failToSend() {
        fail(
                "Nothing can be sent to the daemon: see the log, or it has miscounted what it"
                        + " read.");
    }

    @Override
    public final int tell(Message note) {
        if (isBroken()) {
            return BROKEN;
        }
        int result = sender.tell(note);
        if (result == MessageSink.BROKEN) {
            fail("Nothing can be sent to the daemon, or more is unsaid than can be kept.");
            return BROKEN;
        }
        if (result == MessageSink.SENT) {
            return OK;
        }
        events.onLeadWanted(); // a lead that sleeps has not asked for room
        return KEPT;
    }

    @Override
    public final boolean hasUnsaid() {
        return sender.hasUnsaid();
    }

    /** See {@link ClientLink#hasRoom}. */
    public final boolean hasRoom() {
        return sender.hasRoom();
    }

    /** See {@link ClientLink#isCheckDue}. If threads race, one more or less checks. */
    public final boolean isCheckDue() {
        int now = heard;
        if (now != heardAtSend) {
            heardAtSend = now;
            return false;
        }
        return clock.nanoTime() - checkedNs >= CHECK_NS;
    }

    /** See {@link ClientLink#checkHost}. */
    public final void checkHost() {
        checkedNs = clock.nanoTime();
        checkSocket();
    }

    /** See {@link ClientLink#hangUp}. */
    public final void hangUp() {
        attachment.hangUp();
    }

    @Override
    public final int progress() {
        if (isBroken()) {
            return BROKEN;
        }
        if (sender.hasUnsaid()) {
            sender.flush();
            if (sender.isBroken()) {
                failToSend();
                return BROKEN;
            }
        }
        if (idlePolls >= IDLE_POLLS_PER_CHECK) {
            idlePolls = 0;
            checkSocket(); // first, since it may read the byte that wakes the lead
        }
        if (!dispatchLock.tryLock()) {
            return 0;
        }
        try {
            return dispatch();
        } finally {
            dispatchLock.unlock();
        }
    }

    /** See {@link ClientLink#look}. */
    public final int look() {
        if (isBroken() || sender.hasUnsaid() || idlePolls >= IDLE_POLLS_PER_CHECK) {
            return ClientLink.MORE;
        }
        if (!dispatchLock.tryLock()) {
            return 0;
        }
        try {
            return isClosed ? 0 : dispatch();
        } finally {
            dispatchLock.unlock();
        }
    }

    /** Dispatches all messages that were in the lane when it was called. */
    protected final void dispatchAll() {
        dispatchAll(area.laneSlots());
    }

    // Waits for a thread that dispatches at this moment. Ends with a round that finds nothing, or
    // when as many were dispatched.
    private void dispatchAll(int most) {
        dispatchLock.lock();
        try {
            int left = most;
            int count = 1;
            while (left > 0 && count > 0 && !isBroken()) {
                count = dispatch();
                left -= count;
            }
        } finally {
            dispatchLock.unlock();
        }
    }

    private int dispatch() {
        int count = drain(0);
        int now = acceptedNow();
        if (now != accepted && count >= 0 && count < DISPATCH_LIMIT) {
            count = drain(count); // what was said before that count is in the lane by now
            if (count >= 0 && count < DISPATCH_LIMIT) {
                count = accept(now, count);
            }
        }
        idlePolls += count == 0 ? 1 : 0;
        heard += count == 0 ? 0 : 1;
        return count;
    }

    private boolean hasNews() {
        return inbound.hasMessage() || acceptedNow() != accepted;
    }

    private int acceptedNow() {
        return memory.getIntAcquire(acceptedWord);
    }

    private int accept(int now, int dispatched) {
        int count = now - accepted;
        accepted = now;
        if (!isBroken() && !events.onAccepted(count)) {
            fail("The daemon has accepted more than was sent.");
            return BROKEN;
        }
        return dispatched + count;
    }

    private int drain(int dispatched) {
        int count = dispatched;
        while (count < DISPATCH_LIMIT && !isBroken()) {
            int result = inbound.poll(received);
            if (inbound.takeCreditDue()) {
                sender.returnCredit();
            }
            if (result == MessageSource.EMPTY) {
                break;
            }
            if (result == MessageSource.BROKEN || !isWellFormed(received)) {
                fail("What comes from the daemon is what no engine can have written.");
                return BROKEN;
            }
            deliver(received);
            count++;
        }
        return count;
    }

    private void deliver(Message message) {
        CallTable.Call call = calls.claim(correlationOf(message));
        if (call == null) {
            events.onEvent(message);
            return;
        }
        Thread sleeper;
        boolean isAnswered = false;
        try {
            beforeReply(message);
            sleeper = call.answer(message);
            isAnswered = true;
        } finally {
            if (!isAnswered) {
                call.giveBack(); // its caller could not give it up, and would wait for ever
            }
        }
        if (sleeper != null) {
            sleep.wake();
        }
    }

    /**
     * Checks whether the host has closed the socket. Messages that it sent before still count, and
     * are dispatched, behind a thread that dispatches at this moment.
     *
     * @return false if another thread reads the socket, which may have read before its end
     */
    protected final boolean checkSocket() {
        if (isBroken()) {
            return true;
        }
        int count = socket.drain();
        if (count == PeerSocket.ENDED) {
            dispatchAll(MOST_LEFT);
            fail(
                    socket.isServerClosed()
                            ? "The server has closed."
                            : "The daemon has ended the session.");
        } else if (count > 0 && sleep.isInSelector()) {
            // These bytes were for the lead, and the engine, which has seen its announcement, sends
            // no more of them.
            events.onLeadWanted();
        }
        return count != PeerSocket.BUSY;
    }

    /** Ends the session, if it has not ended. */
    protected final void fail(String reason) {
        if (brokenReason.compareAndSet(null, reason)) {
            try {
                events.onBroken(reason);
            } finally {
                wake();
            }
        }
    }

    @Override
    public final void end(String reason) {
        try {
            attachment.hangUp();
        } finally {
            fail(reason);
        }
    }

    @Override
    public final boolean prepareSleep(boolean inSelector) {
        if (takeWake() || isBroken()) {
            return false;
        }
        sleepKind = inSelector ? PeerSleep.IN_SELECTOR : PeerSleep.ON_WORD;
        sleepValue = sleep.enter(sleepKind);
        if (sender.hasUnsaid()) {
            sender.flushOrAskForRoom();
            if (sender.isBroken()) {
                failToSend(); // and is broken below
            }
        }
        if (hasNews() || takeWake() || isBroken()) {
            sleep.leave(sleepKind);
            return false;
        }
        if (!isEndSeen && memory.getIntVolatile(area.endedOffset()) != 0) {
            sleep.leave(sleepKind);
            isEndSeen = checkSocket(); // one look for this word, then it sleeps
            return false;
        }
        return true;
    }

    @Override
    public final boolean isSleepOver() {
        return !sleep.isAnnounced(sleepKind);
    }

    private boolean takeWake() {
        if (!isWakePending) {
            return false; // a store here could lose a wake that comes just now
        }
        isWakePending = false;
        return true;
    }

    @Override
    public final void sleep(long timeoutNs) {
        if (!takeWake()) {
            sleep.await(sleepValue, timeoutNs);
        }
    }

    @Override
    public final void finishSleep() {
        sleep.leave(sleepKind);
        checkSocket();
    }

    @Override
    public final void wake() {
        isWakePending = true;
        sleep.wake();
    }

    @Override
    public final SelectableChannel selectable() {
        return attachment.socket();
    }

    @Override
    public final @Nullable String brokenReason() {
        return brokenReason.get();
    }

    @Override
    public final ErrorCode brokenCode() {
        return socket.isServerClosed() ? ErrorCode.EPIPE : ErrorCode.EHOSTDOWN;
    }

    /** See {@link ClientLink#endLooks}. */
    public final void endLooks() {
        dispatchLock.lock();
        isClosed = true;
        dispatchLock.unlock();
    }

    @Override
    public final void close() {
        endLooks();
        closeTransport();
        attachment.close();
    }
}
