package org.jbmi.shipper.client;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.shipper.pump.MemoryCheck;
import org.jbmi.shipper.pump.OutgoingPool;
import org.jbmi.shipper.pump.Pump;
import org.jbmi.shipper.pump.SegmentList;
import org.jbmi.shipper.pump.Timed;
import org.jbmi.shipper.pump.TimedList;
import org.jbmi.shipper.pump.Work;
import org.jbmi.shipper.watch.ClientCounters;
import org.jbmi.shipper.watch.ShippedCallEvent;
import org.jbmi.shipper.watch.ShipperEvents;
import org.jbmi.shipper.wire.Wire;
import org.jbmi.spi.Failures;
import org.jbmi.spi.NumberTable;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.Consumer;

/** A client: its sessions, its calls, its exposed memory. The pump's lock guards its state. */
public final class ClientCore implements Work {
    /** While memory is exposed, each session keeps so many more receives posted. */
    private static final int RECEIVES_FOR_BULK = 4;

    private static final long NS_PER_MS = 1_000_000;

    /** How often the deadlines of calls are checked. */
    private static final long CALLS_PERIOD_NS = 10 * NS_PER_MS;

    private final ClientSettings settings;
    private final Pump pump;
    private final OutgoingPool outgoing;
    private final ClientCounters counters;
    private final ShipperEvents events = new ShipperEvents();
    private final SecureRandom random = new SecureRandom();
    private final BulkHandle.Token secret = randomToken();
    private final BulkHandle.Token owner = Wire.ownerOf(secret);
    private final TimedList<Timed.Place> timed = new TimedList<>(Timed.Place::tick);
    private final NumberTable<ClientSession> sessions = new NumberTable<>();
    private final NumberTable<Exposure> exposures = new NumberTable<>();
    private final LateHellos lateHellos = new LateHellos(this);
    private final FunctionIndexes indexes = new FunctionIndexes();
    private final MemoryCheck memoryCheck = new MemoryCheck();
    private long exposed;
    private long lookedNs = Long.MIN_VALUE;

    /** Calls without a reply yet; read without the lock. */
    private volatile int underWay;

    /** Exposures, and sessions that are being opened; read without the lock. */
    private volatile int attended;

    private boolean closed;
    private boolean closeBegun;

    /** Makes a client. */
    public ClientCore(Bmi bmi, ClientSettings settings) {
        this.settings = settings;
        this.counters = new ClientCounters(bmi.counters());
        this.outgoing = new OutgoingPool(Wire.NAMED_CALL_BYTES + settings.maxInputBytes());
        this.pump = new Pump(bmi, settings.clock(), this);
        if (settings.ownThread()) {
            startThread();
        }
    }

    private void startThread() {
        try {
            pump.start("shipper-client", settings.lingerNs());
        } catch (RuntimeException | Error e) { // the system has no thread for it
            pump.close(0);
            throw e;
        }
    }

    /** The pump that makes its progress. */
    public Pump pump() {
        return pump;
    }

    ClientSettings settings() {
        return settings;
    }

    OutgoingPool outgoing() {
        return outgoing;
    }

    ClientCounters counters() {
        return counters;
    }

    TimedList<Timed.Place> timed() {
        return timed;
    }

    /** Proves to a server that this client is the owner of its handles. */
    BulkHandle.Token secret() {
        return secret;
    }

    BulkHandle.Token randomToken() {
        return new BulkHandle.Token(random.nextLong(), random.nextLong());
    }

    int randomInt() {
        return random.nextInt();
    }

    // ------------------------------------------------------------------ calls

    /** Makes the common part of all calls of a function: what is called. */
    public <I, O> Target<I, O> target(
            String name,
            long function,
            long fingerprint,
            Codec<I> input,
            Codec<O> output,
            Class<O> outputType) {
        try (var _ = pump.held()) {
            int index = indexes.of(function, fingerprint);
            return new Target<>(
                    this, name, function, fingerprint, index, input, output, outputType);
        }
    }

    /**
     * Forwards a call.
     *
     * @param call gets the outcome
     * @param deadlineMs from now on, 0 for none, negative for the default
     */
    public <I> void forward(
            PeerAddress server, Target<I, ?> target, I input, PendingCall call, long deadlineMs) {
        try (var _ = pump.held()) {
            checkOpen();
            long ms = deadlineMs < 0 ? settings.defaultDeadlineMs() : deadlineMs;
            ShippedCallEvent event = events.beginShipped();
            if (event != null) {
                event.function = target.name();
                event.server = server.displayName();
                call.event(event);
            }
            session(server, false)
                    .forward(call, target, input, Math.clamp(ms, 0, Integer.MAX_VALUE));
            if (ms > 0) {
                call.deadlineNs = pump.nowNs() + ms * NS_PER_MS; // the call is sent first
            }
        }
        pump.kick();
    }

    /**
     * Opens a session without a call.
     *
     * @return the session, which the caller must await
     * @throws BmiException with {@link ErrorCode#EEXIST} if there is one where they need not go
     */
    public ClientSession connect(PeerAddress server, boolean preferredForBulk) {
        pump.enter();
        try {
            checkOpen();
            ClientSession session = session(server, preferredForBulk);
            if (preferredForBulk && !session.isPreferredForBulk()) {
                throw new BmiException(
                        ErrorCode.EEXIST,
                        "There is a session with this address already, for calls: connect for bulk"
                                + " before the first call to it.");
            }
            return session;
        } finally {
            pump.leave();
            pump.kick();
        }
    }

    /** Why a session that the caller has awaited is not open; null if it is. */
    public @Nullable SessionEnd ending(ClientSession session) {
        try (var _ = pump.held()) {
            return session.ending();
        }
    }

    private ClientSession session(PeerAddress server, boolean preferredForBulk) {
        ClientSession session = sessions.get(server.id());
        if (session == null) {
            session = new ClientSession(this, server, preferredForBulk);
            sessions.put(server.id(), session);
            attend();
            try {
                session.hello();
            } catch (RuntimeException | Error e) { // the next call begins a new one
                session.end(ErrorCode.ENOMEM.negativeValue(), "The hello cannot be sent.");
                throw e;
            }
        }
        return session;
    }

    void forget(ClientSession session) {
        if (sessions.get(session.server().id()) == session) {
            sessions.remove(session.server().id());
        }
        counters.brokenSessions.increment();
        attend();
    }

    void refuse(PendingCall call, String why) {
        counters.refusals.increment();
        call.fail(ErrorCode.ETRYAGAIN.negativeValue(), why, false);
    }

    int remainingMs(PendingCall call) {
        if (call.deadlineNs == PendingCall.NEVER) {
            return 0;
        }
        long left = (call.deadlineNs - pump.nowNs() + NS_PER_MS - 1) / NS_PER_MS;
        return Math.clamp(left, 1, Integer.MAX_VALUE);
    }

    /** What this side found, as an outcome: EAGAIN and EINTR are told of waits that go on. */
    static int outcome(int code) {
        ErrorCode known = ErrorCode.of(code);
        boolean endsWaits = known == ErrorCode.EAGAIN || known == ErrorCode.EINTR;
        return endsWaits ? ErrorCode.ETRYAGAIN.negativeValue() : code;
    }

    /** Whether an error concerns one message and not the peer. */
    static boolean isTransient(int code) {
        return switch (ErrorCode.of(code)) {
            case ENOBUFS, ENOMEM, EAGAIN, ETRYAGAIN, EMSGSIZE -> true;
            case null, default -> false;
        };
    }

    /** Ends a call for the program; the server is told. */
    public boolean giveUp(PendingCall call, int code, String why) {
        try (var _ = pump.held()) {
            boolean ended = call.fail(code, why, false);
            ClientSession session = call.session;
            if (ended && session != null && !session.isDead()) {
                session.tellCancelled(call);
            }
            return ended;
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock only
    void underWay(int change) {
        underWay += change;
    }

    // ------------------------------------------------------------------ exposed memory

    /**
     * Lets servers use memory.
     *
     * @param segments in order
     */
    public Exposure exposeForProgram(List<MemorySegment> segments, Permission permission) {
        memoryCheck.check(new SegmentList(segments), permission.allows(Permission.WRITE));
        pump.enter();
        try {
            checkOpen();
            return expose(segments, permission);
        } finally {
            pump.leave();
            pump.kick();
        }
    }

    Exposure expose(List<MemorySegment> segments, Permission permission) {
        Exposure exposure =
                new Exposure(
                        ++exposed, owner, randomToken(), new SegmentList(segments), permission);
        exposures.put(exposure.number(), exposure);
        attend();
        return exposure;
    }

    /** Revokes without waiting: for memory that the garbage collector frees. */
    void withdraw(@Nullable Exposure exposure) {
        if (exposure != null) {
            exposures.remove(exposure.number());
            exposure.revoke();
            attend();
        }
    }

    /**
     * Revokes, and waits until no transfer uses the memory; a transfer that does not end in time is
     * ended together with its session.
     */
    public void revoke(Exposure exposure) {
        try (var _ = pump.held()) {
            withdraw(exposure);
        }
        if (awaitUnused(exposure)) {
            return;
        }
        try (var _ = pump.held()) {
            for (ClientSession session : sessions.values()) {
                if (session.uses(exposure)) {
                    session.fail(
                            ErrorCode.ECANCEL.negativeValue(),
                            "Exposed memory was revoked, and a transfer did not end.");
                }
            }
        }
        awaitUnused(exposure);
    }

    private boolean awaitUnused(Exposure exposure) {
        boolean interrupted = false;
        boolean over = false;
        long endNs = System.nanoTime() + settings.closeWaitMs() * NS_PER_MS;
        while (!over && endNs - System.nanoTime() > 0 && !pump.isClosed()) {
            over = pump.await(exposure, endNs - System.nanoTime());
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return over;
    }

    @Nullable Exposure exposure(long number) {
        return exposures.get(number);
    }

    int exposedReceives() {
        return exposures.size() == 0 ? 0 : RECEIVES_FOR_BULK;
    }

    /** Why a transfer is refused, or 0. */
    int refusal(long number, BulkHandle.Token key, Permission wanted, long offset, long length) {
        Exposure exposure = exposures.get(number);
        if (exposure == null) {
            return ErrorCode.ENOENT.negativeValue();
        }
        if (!exposure.hasKey(key)) {
            return ErrorCode.EACCES.negativeValue();
        }
        if (!exposure.permission().allows(wanted)) {
            return ErrorCode.EPERM.negativeValue();
        }
        return exposure.memory().contains(offset, length) ? 0 : ErrorCode.EFAULT.negativeValue();
    }

    void countMoved(boolean push, long bytes) {
        (push ? counters.pushedBytes : counters.pulledBytes).add(bytes);
    }

    // ------------------------------------------------------------------ progress and the end

    LateHellos lateHellos() {
        return lateHellos;
    }

    private void attend() {
        attended = exposures.size() + sessions.size();
    }

    @Override
    public boolean look() {
        return false;
    }

    @Override
    public boolean isQuiet() {
        return timed.isEmpty() && underWay == 0;
    }

    @Override
    public void tick(long nowNs) {
        timed.tick(nowNs);
        boolean lookedLately = lookedNs != Long.MIN_VALUE && nowNs - lookedNs < CALLS_PERIOD_NS;
        if (sessions.size() > 0 && !lookedLately) {
            lookedNs = nowNs;
            for (ClientSession session : sessions.values()) {
                session.tick(nowNs);
            }
        }
    }

    @Override
    public boolean isBusy() {
        return underWay > 0 || attended > 0;
    }

    @Override
    public void lost(int code) {
        closed = true;
        endAll(session -> session.end(code, "The messaging instance was closed."));
    }

    /** Ends all sessions and exposures; one that fails skips none behind it. */
    private void endAll(Consumer<ClientSession> end) {
        Throwable failure = null;
        for (ClientSession session : sessions.values()) {
            try {
                end.accept(session);
            } catch (RuntimeException | Error e) {
                failure = Failures.first(failure, e);
            }
        }
        for (Exposure exposure : exposures.values()) {
            withdraw(exposure);
        }
        Failures.rethrow(failure);
    }

    private void checkOpen() {
        if (closed) {
            throw new BmiException(ErrorCode.EINVAL, "The shipper is closed.");
        }
    }

    /**
     * Ends all calls with ECANCEL, says goodbye to the servers, and closes. It takes each step even
     * if one before it fails.
     */
    public void close() {
        try (var _ = pump.held()) {
            if (closeBegun) {
                return;
            }
            closeBegun = true;
            closed = true;
        }
        try {
            sayBye();
        } finally {
            pump.close(settings.closeWaitMs());
        }
    }

    private void sayBye() {
        int code = ErrorCode.ECANCEL.negativeValue();
        try (var _ = pump.held()) {
            endAll(session -> session.fail(code, "The shipper was closed."));
        }
        // Wait a moment for goodbyes, late welcomes and cancelled operations; then end all others.
        pump.driveUntil(
                () -> outgoing.inUse() == 0 && lateHellos.size() == 0,
                Math.min(settings.closeWaitMs(), 100));
    }
}
