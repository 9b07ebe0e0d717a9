package org.jbmi.zoid.client;

import org.jbmi.BmiException;
import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jbmi.config.Configuration;
import org.jbmi.mempool.pool.PinnedPool;
import org.jbmi.mempool.pool.PoolAllocator;
import org.jbmi.spi.AllocationTracking;
import org.jbmi.spi.Failures;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.Operation;
import org.jbmi.spi.SleepPlace;
import org.jbmi.spi.SpinLock;
import org.jbmi.spi.Waitable;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zoid.ZoidKnobs;
import org.jbmi.zoid.ZoidOptions;
import org.jbmi.zoid.common.ChannelSleep;
import org.jbmi.zoid.common.ClientLinks;
import org.jbmi.zoid.common.Limits;
import org.jbmi.zoid.common.Seams;
import org.jbmi.zoid.common.ZoidAddress;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The client half. It attaches at the first lookup, and again when another host (daemon or server)
 * has replaced the first. Every post is one call to the engine, except for notes, which do not wait
 * for the answer ({@link ClientPosts}). Every wait in a test call is one call to the engine, too.
 * Safe for any number of threads.
 */
public final class ZoidClient implements Method, Waitable {
    private static final System.Logger LOG = System.getLogger(ZoidClient.class.getName());
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int RETRY_PATIENCE = 4;
    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();
    private static final int HOST_DOWN = ErrorCode.EHOSTDOWN.negativeValue();

    /** Longer than any close takes. */
    private static final long NO_DEADLINE_NS = Long.MAX_VALUE >> 2;

    private final MethodHost host;
    private final ClientLinks links;
    private final Seams seams;
    private final MethodLimits knobLimits;
    private final long attachTimeoutNs;
    private final SpinLock lock = new SpinLock();
    private final ClientCounters counters;
    private final PinnedPool pool;
    private final ZoidAddress server = ZoidAddress.server();
    private final ChannelSleep sleep;
    private final SleepPlace place;
    private final AttachTurns turns;
    private final List<ClientSession> retired = new ArrayList<>();
    private volatile @Nullable ClientSession session;

    /** The sends of the session that need no operation; they send nothing once it has ended. */
    private volatile @Nullable KeptSends kept;

    /** The first failure of a close; for the thread that has the turn. */
    private @Nullable Throwable closeFailure;

    /** The session in which a wait was begun. */
    private volatile @Nullable ClientSession waited;

    /** Whether a caller waits, and until when; only the lead uses it. */
    private boolean isWaiting;

    private long waitUntilNs;

    private volatile int postTimeoutMs;
    private volatile boolean closed;
    private volatile long nextAttachNs;

    /** Why the last session ended: posts that find no session fail with it as well. */
    private volatile int goneCode = HOST_DOWN;

    /**
     * Opens the client half; attaches to nothing yet.
     *
     * @param seams clock, waiting and liveness of the system
     */
    public ZoidClient(MethodHost host, ClientLinks links, Seams seams) {
        Configuration knobs = host.configuration();
        this.host = host;
        this.links = links;
        this.seams = seams;
        this.turns = new AttachTurns(seams.clock());
        this.sleep = new ChannelSleep(seams.parking());
        this.place = new SleepPlace.Word(sleep, sleep::selectable);
        this.knobLimits = Limits.of(knobs);
        this.attachTimeoutNs =
                TimeUnit.MILLISECONDS.toNanos(knobs.get(ZoidKnobs.ATTACH_TIMEOUT_MS));
        this.counters = new ClientCounters(host.counters(), lock);
        this.pool =
                new PinnedPool(
                        LOG,
                        knobs.get(ZoidKnobs.CLIENT_POOL_BYTES),
                        knobs.get(AllocationTracking.KNOB),
                        change -> {});
        this.postTimeoutMs = knobs.get(ZoidKnobs.POST_TIMEOUT_MS).intValue();
        this.nextAttachNs = seams.clock().nanoTime();
    }

    @Override
    public MethodLimits limits() {
        ClientSession now = session;
        return now == null ? knobLimits : now.limits();
    }

    @Override
    public MethodAddress lookup(String address) {
        ZoidAddress.check(address);
        ClientSession now = session;
        if (now == null || now.isBroken()) {
            turns.attach(attachTimeoutNs, this::attach);
            host.wake();
        }
        return server;
    }

    // In a turn of this thread.
    private void attach(long waitNs) {
        ClientSession old = session;
        if (closed || (old != null && !old.isBroken())) {
            return;
        }
        if (old != null) {
            retire(old);
        }
        ClientSession fresh =
                new ClientSession(
                        host,
                        lock,
                        counters,
                        pool,
                        seams,
                        events -> links.connect(waitNs, () -> closed, events));
        use(fresh);
        sleep.use(fresh.link(), fresh.guard());
    }

    private void use(@Nullable ClientSession next) {
        session = next;
        kept = next == null ? null : next.kept();
    }

    private void retire(ClientSession old) {
        sleep.broken();
        goneCode = old.endCode();
        use(null);
        if (!old.close(goneCode, Long.MAX_VALUE)) {
            retired.add(old);
        }
    }

    // Attaches without waiting for a host, and not too often: one may have come back.
    private @Nullable ClientSession reattached() {
        long now = seams.clock().nanoTime();
        if (closed || now - nextAttachNs < 0) {
            return null;
        }
        if (!turns.tryBegin()) {
            return null; // another thread attaches, and may wait
        }
        // An interrupt must not fail a post, and an attempt takes a second at most. Otherwise a
        // thread that stays interrupted could never attach again.
        boolean wasInterrupted = Thread.interrupted();
        try {
            nextAttachNs = now + RETRY_NS;
            attach(0);
        } catch (BmiException e) {
            nextAttachNs = afterFailure(e, now);
            return null;
        } finally {
            turns.end();
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
        host.wake();
        return session;
    }

    // An attempt that an interrupt ended says nothing about the host: the next thread may try.
    private long afterFailure(BmiException failure, long startNs) {
        if (failure.code() == ErrorCode.EINTR) {
            return startNs;
        }
        long failedNs = seams.clock().nanoTime();
        return failedNs + Math.max(RETRY_NS, RETRY_PATIENCE * (failedNs - startNs));
    }

    // The session, which this thread has entered; null if there is none. To be left through its
    // guard.
    private @Nullable ClientSession entered() {
        ClientSession now = session;
        return now != null && now.guard().enter() ? now : null;
    }

    @Override
    public long post(Operation operation) {
        ClientSession now = session;
        long result = ClientOperations.NOT_POSTED;
        if (now != null && !now.isBroken()) {
            result = now.post(operation, postTimeoutMs);
        }
        return result == ClientOperations.NOT_POSTED ? postAnew(now, operation) : result;
    }

    @Override
    public long sendUnexpectedAtOnce(
            MethodAddress address, MemorySegment buffer, int tag, int messageClass) {
        KeptSends now = kept;
        return now == null || postTimeoutMs != 0 ? PENDING : now.send(buffer, tag, messageClass);
    }

    private long postAnew(@Nullable ClientSession gone, Operation operation) {
        int code = goneCode;
        if (gone != null && gone.guard().enter()) {
            code = gone.endCode(); // the thread that attaches may not have stored it yet
            gone.guard().exit();
        }
        ClientSession fresh = reattached();
        long result =
                fresh == null ? ClientOperations.NOT_POSTED : fresh.post(operation, postTimeoutMs);
        if (result == ClientOperations.NOT_POSTED) {
            return closed ? CANCELLED : code;
        }
        return result;
    }

    @Override
    public CancelOutcome cancel(Operation operation, long id, int code) {
        if (!(operation.attachment() instanceof ClientOperation slot)) {
            return CancelOutcome.ALREADY_DONE;
        }
        ClientSession owner = slot.session();
        if (!owner.guard().enter()) {
            return CancelOutcome.REQUESTED;
        }
        try {
            return owner.cancel(slot, operation, id, code);
        } finally {
            owner.guard().exit();
        }
    }

    // The goodbye frees a session that the host ended without a fault of its client. And a selector
    // must not report the end of the stream again and again.
    private void letGo(ClientSession over) {
        if (!over.guard().isIdle() || !turns.tryBegin()) {
            return; // the next poll will find no thread inside
        }
        try {
            if (over.equals(session)) {
                retire(over);
            }
        } finally {
            turns.end();
        }
    }

    @Override
    public Waitable waitable() {
        return this;
    }

    @Override
    public int poll() {
        return work(false);
    }

    @Override
    public int askAndPoll() {
        return work(true);
    }

    private int work(boolean ask) {
        if (isWaiting && !Objects.equals(session, waited)) {
            beginWait(waitUntilNs); // the engine of the next session does not know of it
        }
        ClientSession now = session;
        int looked = now == null ? 0 : now.look(ask);
        return looked == ClientLink.MORE ? workInside(ask) : looked;
    }

    private int workInside(boolean ask) {
        ClientSession now = entered();
        if (now == null) {
            return 0;
        }
        boolean isOver = now.isBroken();
        int done;
        try {
            if (isOver) {
                sleep.broken();
            }
            done = ask ? now.poll() : now.progress();
        } finally {
            now.guard().exit();
        }
        if (isOver) {
            letGo(now);
        }
        return done;
    }

    /** Through shared memory an answer arrives sooner than a sleep would begin. */
    @Override
    public boolean isEventNear() {
        ClientSession now = session;
        return now != null && now.link().isOneHop();
    }

    @Override
    public void beginWait(long deadlineNs) {
        isWaiting = true;
        waitUntilNs = deadlineNs;
        ClientSession now = entered();
        waited = now;
        if (now != null) {
            try {
                now.waitBegins(deadlineNs);
            } finally {
                now.guard().exit();
            }
        }
    }

    @Override
    public boolean arm(boolean isSleptIn) {
        ClientSession now = waited;
        if (now != null && now.guard().enter()) {
            try {
                now.beforeSleep();
            } finally {
                now.guard().exit();
            }
        }
        boolean isQuiet = sleep.arm(isSleptIn);
        if (isQuiet && now != null && now.isTestDue()) {
            sleep.disarm();
            return false;
        }
        return isQuiet;
    }

    @Override
    public void disarm() {
        sleep.disarm();
    }

    @Override
    public void endWait() {
        ClientSession now = waited;
        waited = null;
        isWaiting = false;
        if (now != null && now.guard().enter()) {
            try {
                now.waitOver();
            } finally {
                now.guard().exit();
            }
        }
    }

    @Override
    public SleepPlace sleepsOn() {
        return place;
    }

    @Override
    public @Nullable MemorySegment memalloc(long sizeBytes) {
        return pool.allocate(sizeBytes);
    }

    @Override
    public int memfree(MemorySegment block) {
        return switch (pool.free(block)) {
            case PoolAllocator.FREED -> 0;
            case PoolAllocator.IN_USE -> ErrorCode.EBUSY.negativeValue();
            default -> ErrorCode.EINVAL.negativeValue();
        };
    }

    @Override
    public void unexpectedFree(long token) {
        throw new BmiException(ErrorCode.EINVAL, "A zoid client receives no unexpected messages.");
    }

    @Override
    public boolean setOption(@Nullable MethodAddress address, Option<?> option, Object value) {
        if (!option.equals(ZoidOptions.POST_TIMEOUT_MS)) {
            return false;
        }
        if (!(value instanceof Integer milliseconds) || milliseconds < 0) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "BMI_ZOID_POST_TIMEOUT is a time of 0 ms or more, not " + value + ".");
        }
        postTimeoutMs = milliseconds;
        return true;
    }

    @Override
    public @Nullable Object getOption(@Nullable MethodAddress address, Option<?> option) {
        return option.equals(ZoidOptions.POST_TIMEOUT_MS) ? postTimeoutMs : null;
    }

    @Override
    public void close() {
        close(System.nanoTime() + NO_DEADLINE_NS);
    }

    @Override
    public void close(long deadlineNs) {
        closed = true;
        turns.begin();
        try {
            closeFailure = null;
            boolean clean = closeSessions(deadlineNs);
            try {
                closePool(clean, deadlineNs);
            } catch (RuntimeException | Error e) {
                closeFailure = Failures.first(closeFailure, e);
            }
            Failures.rethrow(closeFailure);
        } finally {
            turns.end();
        }
    }

    /** Closes each session, even if one before it fails; returns whether all memory is unused. */
    private boolean closeSessions(long deadlineNs) {
        ClientSession now = session;
        sleep.broken();
        use(null);
        boolean clean = now == null || close(now, CANCELLED, deadlineNs);
        for (int i = 0; i < retired.size(); i++) {
            ClientSession old = retired.get(i);
            clean &= close(old, old.endCode(), deadlineNs);
        }
        return clean;
    }

    /** Returns whether the memory of a session is unused, which nobody knows if its close fails. */
    private boolean close(ClientSession one, int code, long deadlineNs) {
        try {
            return one.close(code, leftNs(deadlineNs));
        } catch (RuntimeException | Error e) {
            closeFailure = Failures.first(closeFailure, e);
            return false;
        }
    }

    /** The report comes last, since it allocates and runs log handlers of the program. */
    private void closePool(boolean clean, long deadlineNs) {
        try {
            counters.leakedBlocks.add(pool.reportLeaks());
        } finally {
            if (clean) {
                pool.close(deadlineNs);
            }
        }
    }

    private static long leftNs(long deadlineNs) {
        return Math.max(0, deadlineNs - System.nanoTime());
    }
}
