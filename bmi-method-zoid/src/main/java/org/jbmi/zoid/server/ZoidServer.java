package org.jbmi.zoid.server;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jbmi.config.Configuration;
import org.jbmi.mempool.pool.Leak;
import org.jbmi.mempool.pool.MemoryPool;
import org.jbmi.mempool.pool.PoolAllocator;
import org.jbmi.spi.AllocationTracking;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.Operation;
import org.jbmi.spi.SleepPlace;
import org.jbmi.spi.SpinLock;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.spi.Waitable;
import org.jbmi.zbmi.attach.Interrupts;
import org.jbmi.zbmi.channel.EngineDoor;
import org.jbmi.zbmi.channel.ServerAttachment;
import org.jbmi.zbmi.link.PeerLine;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.jbmi.zoid.ZoidKnobs;
import org.jbmi.zoid.ZoidOptions;
import org.jbmi.zoid.common.ChannelSleep;
import org.jbmi.zoid.common.DeferredSlots;
import org.jbmi.zoid.common.Limits;
import org.jbmi.zoid.common.Seams;
import org.jbmi.zoid.common.SessionFailure;
import org.jbmi.zoid.common.SessionGuard;
import org.jbmi.zoid.common.ZoidAddress;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The server half: one process that serves all clients. It owns the pool of the region for expected
 * messages and talks to the engine through an {@link EngineDoor}; clients move the payload. It has
 * no thread of its own, except for the keeper of an engine that it hosts.
 */
public final class ZoidServer implements Method, Waitable {
    private static final System.Logger LOG = System.getLogger(ZoidServer.class.getName());
    private static final long MOVERS_POLL_NS = TimeUnit.MICROSECONDS.toNanos(200);

    /**
     * The part of the close time that is reserved for the goodbye; a host that runs answers in that
     * time.
     */
    private static final long GOODBYE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();

    /**
     * The outcome of operations that a close cancelled and whose end the engine has not confirmed.
     * A client may have taken the message, so the close does not report them as cancelled.
     */
    private static final int UNDECIDED = ErrorCode.EHOSTDOWN.negativeValue();

    private final MethodLimits limits;
    private final Seams seams;
    private final long closeTimeoutNs;
    private final ServerCounters counters;
    private final ServerInbox inbox;
    private final ServerAttachment attachment;
    private final EngineDoor door;
    private final PeerLine line;
    private final Runnable waker; // made while there is memory
    private final MemoryPool pool;
    private final ServerOperations operations;
    private final DeferredSlots<?> deferred;
    private final ZoidAddress ownAddress = ZoidAddress.server();
    private final SessionGuard guard = new SessionGuard(new SpinLock());
    private final ChannelSleep sleep;
    private final SleepPlace place;

    /**
     * Opens the server half over its part of an engine, which it owns from now on.
     *
     * @param attachment access to the engine, in whatever process
     * @param seams clock, waiting and liveness of the system
     */
    public ZoidServer(MethodHost host, ServerAttachment attachment, Seams seams) {
        Configuration knobs = host.configuration();
        ServerAttachment.View view = attachment.view();
        Welcome welcome = view.welcome();
        this.limits = Limits.of(knobs, welcome.limits());
        this.seams = seams;
        this.sleep = new ChannelSleep(seams.parking());
        this.closeTimeoutNs = TimeUnit.MILLISECONDS.toNanos(knobs.get(ZoidKnobs.CLOSE_TIMEOUT_MS));
        this.counters = new ServerCounters(host.counters());
        this.inbox =
                new ServerInbox(
                        host,
                        counters,
                        view.map(),
                        view.memory(),
                        view.segment(),
                        welcome.limits().maxUnexpectedBytes());
        this.pool =
                new MemoryPool(
                        view.segment(),
                        PoolAllocator.guardedByOwner(
                                view.map().expectedOffset(), welcome.geometry().expectedBytes()));
        pool.allocator().trackAllocations(knobs.get(AllocationTracking.KNOB));
        this.attachment = attachment;
        this.door = attachment.open(inbox);
        this.line = door.line();
        this.waker = line::wake;
        line.waitBy(WaitPolicy.of(knobs));
        long callTimeoutNs = TimeUnit.MILLISECONDS.toNanos(knobs.get(ZoidKnobs.CALL_TIMEOUT_MS));
        this.operations =
                new ServerOperations(
                        host,
                        door,
                        guard,
                        new Placement(pool, view.memory(), counters, guard),
                        counters,
                        seams.clock(),
                        welcome.limits(),
                        callTimeoutNs);
        this.deferred = operations.deferred();
        inbox.opened(operations);
        sleep.use(line, guard);
        place =
                attachment.isKept()
                        ? new SleepPlace.KeptWord(sleep)
                        : new SleepPlace.Word(sleep, sleep::selectable);
    }

    @Override
    public MethodLimits limits() {
        return limits;
    }

    @Override
    public MethodAddress lookup(String address) {
        ZoidAddress.check(address);
        return ownAddress;
    }

    @Override
    public long post(Operation operation) {
        return operations.post(operation);
    }

    @Override
    public CancelOutcome cancel(Operation operation, long id, int code) {
        if (!guard.enter()) {
            return CancelOutcome.REQUESTED;
        }
        try {
            return operations.cancel(operation, id, code);
        } catch (Error e) {
            SessionFailure.endOrThrow(line, e);
            return CancelOutcome.REQUESTED; // it ends with the session
        } finally {
            guard.exit();
        }
    }

    @Override
    public Waitable waitable() {
        return this;
    }

    @Override
    public int poll() {
        try {
            int heard = door.progress();
            return heard >= 0 && !deferred.hasWork() ? heard : workInside(heard);
        } catch (Error e) {
            SessionFailure.endFromOutside(guard, line, e);
            return 1;
        }
    }

    // Copies and sends, so the thread has entered the session.
    private int workInside(int heard) {
        if (!guard.enter()) {
            return 0;
        }
        try {
            if (heard < 0) {
                sleep.broken(); // else selectors report the end of the stream again and again
                if (attachment.isKept()) {
                    attachment.hangUp(); // its clients see the end by that
                } // otherwise the close says goodbye, which frees the session
            }
            return Math.max(0, heard) + operations.progress();
        } finally {
            guard.exit();
        }
    }

    /** Through shared memory an answer arrives sooner than a sleep would begin. */
    @Override
    public boolean isEventNear() {
        return attachment.isKept();
    }

    @Override
    public boolean arm(boolean isSleptIn) {
        return sleep.arm(isSleptIn);
    }

    @Override
    public void disarm() {
        sleep.disarm();
    }

    @Override
    public SleepPlace sleepsOn() {
        return place;
    }

    @Override
    public @Nullable MemorySegment memalloc(long sizeBytes) {
        if (!guard.enterLocked()) {
            return null;
        }
        try {
            return pool.allocate(sizeBytes);
        } finally {
            guard.exitLocked();
        }
    }

    @Override
    public int memfree(MemorySegment memory) {
        if (!guard.enterLocked()) {
            return ErrorCode.EINVAL.negativeValue();
        }
        try {
            int freed;
            try {
                freed = pool.free(memory);
            } finally {
                guard.unlock();
            }
            if (freed == PoolAllocator.FREED) {
                operations.memoryFreed();
                return 0;
            }
            return (freed == PoolAllocator.IN_USE ? ErrorCode.EBUSY : ErrorCode.EINVAL)
                    .negativeValue();
        } finally {
            guard.exit();
        }
    }

    @Override
    public boolean isPoolShared() {
        return true;
    }

    @Override
    public void unexpectedFree(long token) {
        try {
            door.unexpectedFree(token);
        } catch (Error e) {
            SessionFailure.endFromOutside(guard, line, e);
        }
    }

    @Override
    public boolean unexpectedFreedSoon(long token) {
        return door.unexpectedFreedSoon(token);
    }

    @Override
    public void dropped(MethodAddress address) {
        if (address instanceof ZoidAddress zoid && !zoid.isServer()) {
            inbox.dropped(zoid);
        }
    }

    @Override
    public boolean setOption(@Nullable MethodAddress address, Option<?> option, Object value) {
        return option.equals(ZoidOptions.POST_TIMEOUT_MS); // a server ignores it
    }

    @Override
    public @Nullable Object getOption(@Nullable MethodAddress address, Option<?> option) {
        return option.equals(ZoidOptions.POST_TIMEOUT_MS) ? 0 : null;
    }

    @Override
    public void close() {
        closeWithin(closeTimeoutNs);
    }

    @Override
    public void close(long deadlineNs) {
        closeWithin(Math.clamp(deadlineNs - System.nanoTime(), 0, closeTimeoutNs));
    }

    private void closeWithin(long timeoutNs) {
        if (!guard.shut()) {
            return;
        }
        long end = seams.clock().nanoTime() + timeoutNs;
        long moversEnd = end - Math.min(GOODBYE_NS, timeoutNs / 4);
        boolean empty = false;
        int left = 0;
        try {
            empty = guard.awaitEmpty(seams.clock(), moversEnd, waker);
            operations.cancelAll(CANCELLED);
            awaitMovers(moversEnd);
            left = operations.pending();
            door.finish(leftNs(end));
        } catch (Error e) {
            SessionFailure.endOrThrow(line, e);
        } finally {
            release(empty, left, end);
        }
    }

    /** Ends what is pending, and lets go of the engine, whatever else fails. */
    private void release(boolean empty, int left, long endNs) {
        try {
            operations.endAll(UNDECIDED);
            operations.runDeferred();
            sleep.broken();
            report(left, empty);
        } finally {
            if (empty) {
                door.close(leftNs(endNs));
            } else {
                // The host then keeps the memory until this process has ended.
                attachment.hangUp();
            }
        }
    }

    private long leftNs(long end) {
        return Math.max(0, end - seams.clock().nanoTime());
    }

    // Waits until the engine has confirmed the cancels, and transfers have ended.
    private void awaitMovers(long end) {
        while (operations.pending() > 0
                && inbox.broken() == null
                && seams.clock().nanoTime() - end < 0) {
            if (line.progress() + operations.progress() <= 0) {
                Interrupts.park(MOVERS_POLL_NS);
            }
        }
    }

    private void report(int left, boolean empty) {
        List<Leak> leaks;
        guard.lock();
        try {
            leaks = pool.allocator().leaks();
        } finally {
            guard.unlock();
        }
        counters.leakedBlocks.add(MemoryPool.report(leaks, LOG));
        if (left > 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0} operations were still under way at close; the daemon keeps their memory",
                    left);
        }
        if (!empty) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Threads are still inside zoid calls at close; their memory stays mapped");
        }
    }
}
