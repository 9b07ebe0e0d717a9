package org.jbmi.zoid.client;

import org.jbmi.CancelOutcome;
import org.jbmi.config.Configuration;
import org.jbmi.mempool.pool.PinnedPool;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.Operation;
import org.jbmi.spi.SpinLock;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.zbmi.attach.Interrupts;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zoid.ZoidKnobs;
import org.jbmi.zoid.common.Limits;
import org.jbmi.zoid.common.Seams;
import org.jbmi.zoid.common.SessionFailure;
import org.jbmi.zoid.common.SessionGuard;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** A client's session with one host, from the handshake until either side ends it. */
final class ClientSession implements PeerEvents {
    private static final System.Logger LOG = System.getLogger(ClientSession.class.getName());
    private static final long LOOK_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private final MethodHost host;
    private final ClientCounters counters;
    private final Seams seams;
    private final SpinLock lock;
    private final SessionGuard guard;
    private final ClientLink link;
    private final MethodLimits limits;
    private final long closeTimeoutNs;
    private final ClientWait waits;
    private final ClientOperations operations;
    private final KeptSends kept;
    private final BooleanSupplier anyPending;
    private final Runnable waker; // made while there is memory
    private volatile @Nullable String broken;

    /**
     * Opens a session.
     *
     * @param connect opens a link, which the session owns from then on; until somebody calls the
     *     link it asks for the {@link #sendLock} only
     */
    ClientSession(
            MethodHost host,
            SpinLock lock,
            ClientCounters counters,
            PinnedPool pool,
            Seams seams,
            Function<PeerEvents, ClientLink> connect) {
        this.lock = lock;
        this.guard = new SessionGuard(lock);
        this.host = host;
        this.counters = counters;
        this.seams = seams;
        this.link = connect.apply(this);
        boolean isOpen = false;
        try {
            Configuration knobs = host.configuration();
            this.limits = Limits.of(knobs, link.limits());
            this.closeTimeoutNs =
                    TimeUnit.MILLISECONDS.toNanos(knobs.get(ZoidKnobs.CLOSE_TIMEOUT_MS));
            long callTimeoutNs =
                    TimeUnit.MILLISECONDS.toNanos(knobs.get(ZoidKnobs.CALL_TIMEOUT_MS));
            link.waitBy(WaitPolicy.of(knobs));
            this.waits = new ClientWait(link, seams.clock(), counters);
            this.operations =
                    new ClientOperations(
                            host,
                            link,
                            guard,
                            counters,
                            pool,
                            waits,
                            this,
                            limits,
                            callTimeoutNs,
                            seams.clock());
            this.kept = operations.kept();
            this.anyPending = operations::isAnyPending;
            this.waker = link::wake;
            counters.attachments.increment();
            isOpen = true;
        } finally {
            if (!isOpen) {
                link.close();
            }
        }
    }

    MethodLimits limits() {
        return limits;
    }

    SessionGuard guard() {
        return guard;
    }

    ClientLink link() {
        return link;
    }

    boolean isBroken() {
        return broken != null || link.brokenReason() != null;
    }

    /** The code that operations end with once it is broken. */
    int endCode() {
        return link.brokenCode().negativeValue();
    }

    /** See {@link ClientOperations#post}: it enters, and leaves. */
    long post(Operation operation, int postTimeoutMs) {
        return operations.post(operation, postTimeoutMs);
    }

    /** Its sends that need no operation: they enter, and leave. */
    KeptSends kept() {
        return kept;
    }

    CancelOutcome cancel(ClientOperation slot, Operation operation, long id, int code) {
        try {
            return operations.cancels().cancel(slot, operation, id, code);
        } catch (Error e) {
            SessionFailure.endOrThrow(link, e);
            return CancelOutcome.REQUESTED; // it ends with the session
        }
    }

    /**
     * All that most looks are: nothing but to dispatch what has come, by a thread that is not
     * inside. Who finds something has no need to ask the engine.
     *
     * @param ask whether the engine may be asked
     * @return how much was done, or {@link ClientLink#MORE}
     */
    int look(boolean ask) {
        if (broken != null || waits.isOwed() || operations.hasWork()) {
            return ClientLink.MORE;
        }
        try {
            int dispatched = link.look();
            boolean asks =
                    ask && dispatched == 0 && !waits.isOpen() && operations.seemsAnyPending();
            boolean isAll = dispatched != ClientLink.MORE && !asks && !operations.hasWork();
            return isAll ? Math.max(0, dispatched) : ClientLink.MORE;
        } catch (Error e) {
            SessionFailure.endFromOutside(guard, link, e);
            return 1;
        }
    }

    int progress() {
        askWhatIsOwed();
        return moveOn();
    }

    private void askWhatIsOwed() {
        try {
            waits.progress();
        } catch (Error e) {
            SessionFailure.endOrThrow(link, e);
        }
    }

    private int moveOn() {
        try {
            int dispatched = link.progress();
            int moved = operations.runDeferred();
            return Math.max(0, dispatched) + moved;
        } catch (Error e) {
            SessionFailure.endOrThrow(link, e);
            return 1;
        }
    }

    /** One call at most: the TEST that stays open for a moment, or one that is answered. */
    int poll() {
        askWhatIsOwed(); // first, since then no other call is needed
        try {
            boolean isToAsk = !isBroken() && !waits.isOpen() && operations.seemsAnyPending();
            if (isToAsk && !waits.staysOpen()) {
                operations.ask();
                waits.answered();
            }
        } catch (Error e) {
            SessionFailure.endOrThrow(link, e);
        }
        return moveOn();
    }

    void waitBegins(long deadlineNs) {
        try {
            waits.begins(deadlineNs, anyPending);
        } catch (Error e) {
            SessionFailure.endOrThrow(link, e);
        }
    }

    /** Before a sleep: opens a TEST if none is open and the caller still waits. */
    void beforeSleep() {
        try {
            if (operations.isAnyPending()) {
                waits.arm();
            }
        } catch (Error e) {
            SessionFailure.endOrThrow(link, e);
        }
    }

    /**
     * Whether a TEST that had to wait for other messages can be sent now. Another thread may have
     * sent those before the lead that is about to sleep could ask for room.
     */
    boolean isTestDue() {
        return waits.isOwed() && !link.hasUnsaid();
    }

    void waitOver() {
        try {
            waits.over();
        } catch (Error e) {
            SessionFailure.endOrThrow(link, e);
        }
    }

    @Override
    public void onEvent(Message message) {
        if (!ClientEvents.isWellFormed(message)) {
            counters.protocolErrors.increment();
            return;
        }
        operations.heard();
        if (message.kind() == ClientEvents.TEST_REPLY) {
            waits.onReply(message);
        } else {
            operations.onEvent(message);
        }
    }

    @Override
    public SpinLock sendLock() {
        return lock;
    }

    @Override
    public boolean onAccepted(int count) {
        operations.heard();
        return operations.onAccepted(count);
    }

    @Override
    public void afterDispatch() {
        operations.runDeferred();
    }

    @Override
    public void onLeadWanted() {
        host.wake();
    }

    @Override
    public void onBroken(String reason) {
        broken = reason;
        operations.endAll(endCode()); // first: there may be no memory for the text
        LOG.log(System.Logger.Level.WARNING, "The session with the zoid daemon ended: {0}", reason);
    }

    /** A selector must not report the end of the stream again and again. */
    void hangUp() {
        link.hangUp();
    }

    /**
     * Ends the session; pending operations end with a code. The whole has one deadline, whatever
     * the host does.
     *
     * @param mostNs the longest time, if it is less than the session's own limit
     * @return false if threads are still inside: their memory stays mapped
     */
    boolean close(int code, long mostNs) {
        if (!guard.shut()) {
            return guard.isEmpty() && letGo();
        }
        long end = seams.clock().nanoTime() + Math.min(mostNs, closeTimeoutNs);
        boolean isReleased;
        try {
            operations.cancelAll(code);
            operations.runDeferred();
            guard.awaitEmpty(seams.clock(), end, waker);
            awaitTaken(end);
            awaitAccepted(end);
        } catch (Error e) {
            SessionFailure.endOrThrow(link, e);
        } finally {
            isReleased = release(code);
        }
        return isReleased;
    }

    /** Ends what is pending, and lets go of the link, whatever else fails. */
    private boolean release(int code) {
        boolean isReleased = false;
        try {
            if (operations.isAnyPending() && link.movesLater()) {
                hangUp(); // so that no buffer is touched after its operation has ended
            }
            link.endLooks(); // what a look has deferred is done below
            operations.endAll(code);
            operations.runDeferred();
        } finally {
            if (guard.isEmpty()) {
                isReleased = letGo();
            } else {
                hangUp();
                LOG.log(
                        System.Logger.Level.WARNING,
                        "Threads are still inside zoid calls at close; their memory stays mapped");
            }
        }
        return isReleased;
    }

    private boolean letGo() {
        try {
            link.close();
            return true;
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "the segment stays mapped", e);
            return false;
        }
    }

    // For these sends the program has had its success.
    private void awaitAccepted(long end) {
        boolean isRead = operations.areSentRead();
        while (isRead
                && link.keeps() == SessionArea.KEEPS_SOME
                && !isBroken()
                && seams.clock().nanoTime() - end < 0) {
            progressOrPause();
        }
    }

    // The engine has taken these eager bytes: their real outcome is on its way.
    private void awaitTaken(long end) {
        while (operations.isAnyPending() && !isBroken() && seams.clock().nanoTime() - end < 0) {
            progressOrPause();
        }
    }

    private void progressOrPause() {
        if (progress() == 0) {
            boolean wasInterrupted = Interrupts.setAside();
            try {
                seams.parking().park(this, LOOK_NS);
            } finally {
                Interrupts.restore(wasInterrupted);
            }
        }
    }
}
