package org.jbmi.scripted;

import org.jbmi.BmiException;
import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.Operation;
import org.jbmi.spi.SleepPlace;
import org.jbmi.spi.Waitable;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A method that does what a test says: it keeps operations until they are completed by hand,
 * delivers unexpected messages out of nothing, and sleeps and wakes as a real one of its kind.
 */
public final class ScriptedMethod implements Method {
    /** How long a method that hangs takes when it is closed alone. */
    private static final long HANG_NS = 10_000_000_000L;

    private static final int AWAKE = 0;
    private static final int ASLEEP = 1;
    private static final int ASLEEP_ELSEWHERE = 2;

    private final String scheme;
    private final MethodLimits limits;
    private final MethodHost host;
    private final Script script;
    private final List<String> listens;
    private final ScriptedBed bed;
    private final Waiting waiting;

    private final Map<Long, Operation> held = new LinkedHashMap<>();
    private final Map<Long, Operation> moving = new HashMap<>();
    private final Map<String, ScriptedAddress> addresses = new ConcurrentHashMap<>();
    private final Map<Long, MemorySegment> blocks = new ConcurrentHashMap<>();
    private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();
    private final AtomicInteger sleepState = new AtomicInteger();

    /** What the core called, for tests to look at. */
    public final AtomicInteger progressCalls = new AtomicInteger();

    public final AtomicInteger pollCalls = new AtomicInteger();
    public final AtomicInteger sleeps = new AtomicInteger();
    public final AtomicInteger waitsBegun = new AtomicInteger();
    public final AtomicInteger waitsOver = new AtomicInteger();
    public final AtomicLong tokens = new AtomicLong();
    public final List<Long> freedTokens = new CopyOnWriteArrayList<>();
    public final List<MethodAddress> droppedAddresses = new CopyOnWriteArrayList<>();
    public final List<MethodAddress> disconnected = new CopyOnWriteArrayList<>();
    public final List<String> optionsSet = new CopyOnWriteArrayList<>();
    public final Map<String, Object> optionValues = new ConcurrentHashMap<>();

    /** What the method answers when it is asked whether an address may go. */
    public volatile boolean mayDrop = true;

    /** Runs when the core has asked for an address, before it gets it. */
    public volatile Runnable onLookup = () -> {};

    /** Runs when the core disconnects an address, before the method forgets it. */
    public volatile Runnable onDisconnect = () -> {};

    /** Runs when the core has removed an address, before the method forgets it. */
    public volatile Runnable onDropped = () -> {};

    /** Whether the next look-up of an address that was disconnected or removed gives another. */
    public volatile boolean forgetsDisconnected;

    /** Thrown by the next progress call. */
    public volatile @Nullable RuntimeException failNext;

    /** Runs when the core asks what it sleeps on; may throw. */
    public volatile Runnable onSleepsOn = () -> {};

    /** Whether closing forgets what it holds, as a method that gives up on its peer does. */
    public volatile boolean closeAbandons;

    /** The polls before the lead armed first after a test has set this to -1. */
    public final AtomicInteger progressCallsAtArm = new AtomicInteger();

    /** Whether somebody waits, as far as the method was told. */
    public volatile boolean listening;

    /** Whether freed tokens are forgotten, where a test measures allocation. */
    public volatile boolean countOnly;

    /** Runs when the method is closed, before anything else. */
    public volatile Runnable onClose = () -> {};

    /** Whether closing takes all the time that there is, as with a peer that hangs. */
    public volatile boolean closeHangs;

    /** What the core left for closing. */
    public volatile long closeShareNs;

    /** Runs when the core has ended a sleep of the method. */
    public volatile Runnable onWake = () -> {};

    /** Whether to end a sleep fails. */
    public volatile boolean failWake;

    /** Whether closing fails. */
    public volatile boolean failClose;

    /** A block that cannot be freed now. */
    public volatile long busyBlock = -1;

    public volatile boolean closed;

    ScriptedMethod(
            String scheme,
            ScriptedBed.Kind kind,
            MethodLimits limits,
            MethodHost host,
            Script script,
            List<String> listens) {
        this.scheme = scheme;
        this.limits = limits;
        this.host = host;
        this.script = script;
        this.listens = listens;
        bed = new ScriptedBed(kind, this);
        waiting = new Waiting();
    }

    public String scheme() {
        return scheme;
    }

    public MethodHost host() {
        return host;
    }

    public List<String> listens() {
        return listens;
    }

    // ---- what a test does

    /** Keeps an operation until {@link #complete}. */
    public long hold(Operation operation) {
        synchronized (held) {
            if (closed) {
                return ErrorCode.ECANCEL.negativeValue();
            }
            held.put(operation.id(), operation);
        }
        return PENDING;
    }

    /** Completes a held operation. */
    public boolean complete(long id, int error, long bytes) {
        Operation operation;
        synchronized (held) {
            operation = held.remove(id);
            if (operation == null) {
                operation = moving.remove(id);
            }
        }
        if (operation == null) {
            return false;
        }
        host.complete(operation, error, bytes);
        return true;
    }

    /** Completes a held operation with success. */
    public boolean complete(long id) {
        return complete(id, 0, 1);
    }

    /** The bytes of a held operation begin to move: it cannot be withdrawn any more. */
    public void move(long id) {
        synchronized (held) {
            Operation operation = held.remove(id);
            if (operation == null) {
                throw new AssertionError("not held");
            }
            moving.put(id, operation);
        }
    }

    /** A held operation. */
    public Operation held(long id) {
        synchronized (held) {
            Operation operation = held.get(id);
            if (operation == null) {
                throw new AssertionError("not held");
            }
            return operation;
        }
    }

    /** The ids of the operations that are held or moving, the oldest first. */
    public List<Long> heldIds() {
        synchronized (held) {
            List<Long> ids = new ArrayList<>(held.keySet());
            ids.addAll(moving.keySet());
            return ids;
        }
    }

    /** A peer, known to the method only. */
    public ScriptedAddress address(String name) {
        return addresses.computeIfAbsent(name, ScriptedAddress::new);
    }

    /** Delivers an unexpected message of zeros. */
    public long deliver(String from, int tag, int messageClass, int bytes) {
        return deliver(from, tag, messageClass, new byte[bytes]);
    }

    /** Delivers an unexpected message; returns its token. */
    public long deliver(String from, int tag, int messageClass, byte[] bytes) {
        MemorySegment memory = Arena.ofAuto().allocate(64L + Math.max(1, bytes.length), 64);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, memory, 64, bytes.length);
        long token = tokens.incrementAndGet();
        host.deliverUnexpected(
                address(from),
                tag,
                messageClass,
                ErrorCode.SUCCESS,
                memory,
                64,
                bytes.length,
                token);
        return token;
    }

    /** Something happens elsewhere, which only a poll can find. */
    public void remote(Runnable event) {
        events.add(event);
        switch (bed.kind()) {
            case ANYWHERE -> host.wake();
            case WORD -> endSleep(bed::ring, bed::writeByte);
            case KEPT -> endSleep(bed::ring, waiting::poll);
            case CHANNEL, SELECTOR -> endSleep(bed::writeByte, bed::writeByte);
        }
    }

    private void endSleep(Runnable ofOwnPlace, Runnable elsewhere) {
        switch (sleepState.getAndSet(AWAKE)) {
            case ASLEEP -> ofOwnPlace.run();
            case ASLEEP_ELSEWHERE -> elsewhere.run();
            default -> {}
        }
    }

    // ---- what the core does

    @Override
    public MethodLimits limits() {
        return limits;
    }

    @Override
    public MethodAddress lookup(String address) {
        if (!address.startsWith(scheme + "://")) {
            throw new BmiException(ErrorCode.ENOPROTOOPT, address + " is no scripted address");
        }
        MethodAddress found = address(address.substring(scheme.length() + 3));
        onLookup.run();
        return found;
    }

    @Override
    public long post(Operation operation) {
        return script.rule.post(this, operation);
    }

    @Override
    public CancelOutcome cancel(Operation operation, long id, int code) {
        return script.cancelRule.cancel(this, operation, id, code);
    }

    /** Withdraws an operation that is held. */
    public CancelOutcome withdraw(Operation operation, long id, int code) {
        synchronized (held) {
            if (moving.containsKey(id)) {
                return CancelOutcome.REQUESTED;
            }
            if (operation.id() != id || held.get(id) != operation) {
                return CancelOutcome.ALREADY_DONE;
            }
        }
        return complete(id, code, 0) ? CancelOutcome.CANCELLED : CancelOutcome.ALREADY_DONE;
    }

    @Override
    public @Nullable Waitable waitable() {
        return scheme.equals("local") ? null : waiting;
    }

    /** Polls events, and sleeps on the bed. */
    private final class Waiting implements Waitable, SleepPlace.Sleep {
        private final SleepPlace place =
                switch (bed.kind()) {
                    case ANYWHERE -> new SleepPlace.Anywhere();
                    case WORD -> new SleepPlace.Word(this, bed::channel);
                    case KEPT -> new SleepPlace.KeptWord(this);
                    case CHANNEL -> new SleepPlace.Channel(bed.channel());
                    case SELECTOR -> new SleepPlace.OwnSelector(bed.selector(), this);
                };

        @Override
        public int poll() {
            progressCalls.getAndIncrement();
            RuntimeException failure = failNext;
            if (failure != null) {
                failNext = null;
                throw failure;
            }
            int done = 0;
            for (Runnable event = events.poll(); event != null; event = events.poll()) {
                event.run();
                done++;
            }
            return done;
        }

        @Override
        public int askAndPoll() {
            pollCalls.getAndIncrement();
            return poll();
        }

        @Override
        public void beginWait(long deadlineNs) {
            waitsBegun.getAndIncrement();
            listening = true;
        }

        @Override
        public void endWait() {
            waitsOver.getAndIncrement();
            listening = false;
        }

        @Override
        public boolean arm(boolean isSleptIn) {
            progressCallsAtArm.compareAndSet(-1, progressCalls.get());
            sleepState.set(isSleptIn ? ASLEEP : ASLEEP_ELSEWHERE);
            return events.isEmpty();
        }

        @Override
        public void disarm() {
            sleepState.set(AWAKE);
            if (bed.kind() != ScriptedBed.Kind.ANYWHERE) {
                bed.readBytes();
            }
        }

        @Override
        public void sleep(long timeoutNs) {
            sleeps.getAndIncrement();
            bed.sleep(timeoutNs);
        }

        @Override
        public void wake() {
            if (failWake) {
                throw new IllegalStateException("wake of " + scheme);
            }
            bed.wake();
            onWake.run();
        }

        @Override
        public SleepPlace sleepsOn() {
            onSleepsOn.run();
            return place;
        }
    }

    @Override
    public @Nullable MemorySegment memalloc(long sizeBytes) {
        if (sizeBytes > 1 << 20) {
            return null;
        }
        MemorySegment block = Arena.ofAuto().allocate(Math.max(1, sizeBytes), 64);
        blocks.put(block.address(), block);
        return block.asSlice(0, sizeBytes);
    }

    @Override
    public int memfree(MemorySegment memory) {
        if (memory.address() == busyBlock) {
            return ErrorCode.EBUSY.negativeValue();
        }
        return blocks.remove(memory.address()) == null ? ErrorCode.EINVAL.negativeValue() : 0;
    }

    @Override
    public void unexpectedFree(long token) {
        if (!countOnly) {
            freedTokens.add(token);
        }
    }

    @Override
    public boolean mayDrop(MethodAddress address) {
        return mayDrop;
    }

    @Override
    public void disconnect(MethodAddress address) {
        disconnected.add(address);
        onDisconnect.run();
        if (forgetsDisconnected) {
            addresses.values().remove(address);
        }
    }

    @Override
    public void dropped(MethodAddress address) {
        droppedAddresses.add(address);
        onDropped.run();
        if (forgetsDisconnected) {
            addresses.values().remove(address);
        }
    }

    @Override
    public boolean inAddressRange(MethodAddress address, String pattern, int prefixLength) {
        return scheme.equals("local")
                ? Method.super.inAddressRange(address, pattern, prefixLength)
                : address.displayName().startsWith(pattern) && prefixLength == -1;
    }

    @Override
    public boolean setOption(@Nullable MethodAddress address, Option<?> option, Object value) {
        String name = (address == null ? "" : address.displayName() + ":") + option.name();
        optionsSet.add(name + "=" + value);
        return true;
    }

    @Override
    public @Nullable Object getOption(@Nullable MethodAddress address, Option<?> option) {
        return optionValues.get(option.name());
    }

    @Override
    public void close(long deadlineNs) {
        closeShareNs = deadlineNs - System.nanoTime();
        hang(deadlineNs);
        end();
    }

    @Override
    public void close() {
        hang(System.nanoTime() + HANG_NS);
        end();
    }

    private void hang(long untilNs) {
        while (closeHangs && System.nanoTime() - untilNs < 0) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    private void end() {
        onClose.run();
        List<Long> ids;
        synchronized (held) {
            closed = true;
            ids = heldIds();
        }
        if (!closeAbandons) {
            ids.forEach(id -> complete(id, ErrorCode.ECANCEL.negativeValue(), 0));
        }
        bed.close();
        if (failClose) {
            throw new IllegalStateException("close of " + scheme);
        }
    }
}
