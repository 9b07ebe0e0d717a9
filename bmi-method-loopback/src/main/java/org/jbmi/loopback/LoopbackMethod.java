package org.jbmi.loopback;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.pool.PinnedPool;
import org.jbmi.mempool.pool.PoolAllocator;
import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;
import org.jbmi.spi.AllocationTracking;
import org.jbmi.spi.Failures;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * One member of a hub. The threads that post, cancel, free and close do all the work, so it needs
 * no {@code Waitable}. See {@link Inbox} for the locking.
 */
final class LoopbackMethod implements Method {
    private static final System.Logger LOG = System.getLogger(LoopbackMethod.class.getName());
    private static final int EBUSY = ErrorCode.EBUSY.negativeValue();
    private static final int EINVAL = ErrorCode.EINVAL.negativeValue();
    private static final int ECONNREFUSED = ErrorCode.ECONNREFUSED.negativeValue();
    private static final long CLOSE_WAIT_NS = 5_000_000_000L;
    private static final long CLOSE_PAUSE_NS = 50_000;

    private final MethodHost host;
    private final LoopbackHub hub;
    private final long number;
    private final List<String> names;
    private final MethodLimits limits;

    /** Messages copied to this member; written under the lock of its inbox. */
    private final Counter copies;

    private final Counter truncated;
    private final Counter abandonedTransfers;
    private final PinnedPool pool;
    private final Counter leakedBlocks;
    private final Inbox inbox;
    private final Departure departure = new Departure(this);
    private final Map<String, LoopbackAddress> byName = new ConcurrentHashMap<>();
    private final Map<LoopbackMethod, LoopbackAddress> byMember = new ConcurrentHashMap<>();

    /**
     * Operations of this member whose bytes a thread moves, or whose outcome it reports, without a
     * lock.
     */
    private final AtomicInteger transfers = new AtomicInteger();

    private volatile boolean open = true;

    private LoopbackMethod(MethodHost host, LoopbackHub hub, List<String> names) {
        this.host = host;
        this.hub = hub;
        this.number = hub.nextNumber();
        this.names = names;
        this.limits = LoopbackKnobs.limits(host.configuration());
        Counters counters = host.counters();
        copies = counters.register(2001, "loopback.copies", "messages");
        truncated = counters.register(2002, "loopback.truncated", "messages");
        abandonedTransfers = counters.register(2003, "loopback.abandonedTransfers", "operations");
        pool =
                new PinnedPool(
                        LOG,
                        host.configuration().get(LoopbackKnobs.POOL_BYTES),
                        host.configuration().get(AllocationTracking.KNOB),
                        counters.register(2007, "loopback.poolBlocks", "blocks")::add);
        leakedBlocks = counters.register(2008, "loopback.leakedBlocks", "blocks");
        inbox = new Inbox(this, new UnexpectedStore(host.configuration(), counters));
    }

    static LoopbackMethod open(MethodHost host, LoopbackHub hub, List<String> listenAddresses) {
        List<String> names = new ArrayList<>();
        for (String address : listenAddresses) {
            names.add(LoopbackAddress.nameOf(address));
        }
        LoopbackMethod method = new LoopbackMethod(host, hub, List.copyOf(names));
        hub.join(method);
        return method;
    }

    @Override
    public MethodLimits limits() {
        return limits;
    }

    @Override
    public MethodAddress lookup(String address) {
        return byName.computeIfAbsent(
                LoopbackAddress.nameOf(address), name -> new LoopbackAddress(this, name));
    }

    /** This member's record of a sender. */
    LoopbackAddress recordOf(LoopbackMethod sender) {
        if (sender.names.isEmpty()) {
            return byMember.computeIfAbsent(sender, peer -> new LoopbackAddress(this, peer));
        }
        return byName.computeIfAbsent(
                sender.names.getFirst(), name -> new LoopbackAddress(this, name));
    }

    /**
     * Removes the record of a member that closed. Returns null if there is none, or if the member
     * has a name, under which a successor may come.
     */
    @Nullable LoopbackAddress forget(LoopbackMethod gone) {
        return byMember.remove(gone);
    }

    @Override
    public void dropped(MethodAddress address) {
        if (address.handle() == null) { // otherwise the program has another handle of it
            byName.values().remove(address);
        }
    }

    @Override
    public long post(Operation operation) {
        if (!pool.exists() && !operation.poolOnly()) {
            return route(operation);
        }
        boolean onlyPool = isServer() && operation.poolOnly();
        int pins = pool.pin(operation, operation.bufferCount(), Operation::buffer, onlyPool);
        if (pins == PinnedPool.REFUSED) {
            return EINVAL;
        }
        operation.word1(pins);
        long result;
        try {
            result = route(operation);
        } catch (RuntimeException | Error e) {
            unpin(operation);
            throw e;
        }
        if (result != PENDING) {
            unpin(operation);
        }
        return result;
    }

    /** The second word of an operation is set if it holds pins. */
    private void unpin(Operation operation) {
        if (operation.word1() != 0) {
            operation.word1(0);
            pool.unpin(operation, operation.bufferCount(), Operation::buffer);
        }
    }

    private long route(Operation operation) {
        LoopbackAddress address = (LoopbackAddress) operation.address();
        LoopbackMethod peer = address.peer();
        if (peer == null) {
            return ECONNREFUSED;
        }
        return switch (operation.kind()) {
            case SEND -> peer.inbox.send(operation, this);
            case RECEIVE -> inbox.receive(operation, peer);
            case SEND_UNEXPECTED -> peer.inbox.sendUnexpected(operation, address);
        };
    }

    @Override
    public long sendAtOnce(MethodAddress address, MemorySegment buffer, int tag) {
        LoopbackMethod peer = ((LoopbackAddress) address).peer();
        long sizeBytes = buffer.byteSize();
        if (peer == null
                || !peer.inbox.mayTakeAtOnce(sizeBytes)
                || sizeBytes > limits.maxExpectedBytes()) {
            return PENDING;
        }
        if (!pool.pin(buffer)) {
            return EINVAL;
        }
        try {
            return peer.inbox.sendAtOnce(this, buffer, tag);
        } finally {
            pool.unpin(buffer);
        }
    }

    @Override
    public CancelOutcome cancel(Operation operation, long id, int code) {
        // The fields may belong to the next use of the operation; the inbox compares the id.
        if (operation.kind() == OperationKind.RECEIVE) {
            return inbox.cancel(operation, id, code);
        }
        if (operation.addressOrNull() instanceof LoopbackAddress to) {
            LoopbackMethod peer = to.boundPeer();
            if (peer != null) {
                return peer.inbox.cancel(operation, id, code);
            }
        }
        return CancelOutcome.ALREADY_DONE;
    }

    @Override
    public @Nullable MemorySegment memalloc(long sizeBytes) {
        return pool.allocate(sizeBytes);
    }

    @Override
    public int memfree(MemorySegment memory) {
        return switch (pool.free(memory)) {
            case PoolAllocator.FREED -> 0;
            case PoolAllocator.IN_USE -> EBUSY;
            default -> EINVAL;
        };
    }

    @Override
    public void unexpectedFree(long token) {
        inbox.unexpectedFree(token);
    }

    @Override
    public void close() {
        close(System.nanoTime() + CLOSE_WAIT_NS);
    }

    @Override
    public void close(long deadlineNs) {
        inbox.lock();
        try {
            if (!open) {
                return;
            }
            open = false;
        } finally {
            inbox.unlock();
        }
        try {
            inbox.close(departure);
        } finally {
            hub.leave(this); // until here, others find by its name what waits in its inbox
            try {
                tellOthers();
            } finally {
                awaitTransfers(deadlineNs);
                freeMemory(deadlineNs);
            }
        }
    }

    private void tellOthers() {
        int count = hub.slotCount();
        for (int slot = 0; slot < count; slot++) {
            LoopbackMethod other = hub.member(slot);
            if (other != null) {
                other.inbox.peerClosed(this, departure);
            }
        }
    }

    /** Frees all memory, except what a native call of the program uses: that is never freed. */
    private void freeMemory(long deadlineNs) {
        try {
            leakedBlocks.add(pool.close(deadlineNs));
        } catch (RuntimeException | Error e) {
            try {
                inbox.freeMemory(deadlineNs);
            } catch (RuntimeException | Error next) {
                Failures.first(e, next);
            }
            throw e;
        }
        inbox.freeMemory(deadlineNs);
    }

    /**
     * Waits for transfers that began before the close. A thread that does not run may hold one of
     * them, so the wait has a deadline; what is left then is counted as abandoned.
     */
    private void awaitTransfers(long giveUpNs) {
        boolean interrupted = false;
        while (transfers.get() > 0) {
            if (System.nanoTime() - giveUpNs >= 0) {
                abandonedTransfers.add(transfers.get());
                break;
            }
            LockSupport.parkNanos(this, CLOSE_PAUSE_NS);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    boolean isOpen() {
        return open;
    }

    List<String> names() {
        return names;
    }

    boolean isServer() {
        return !names.isEmpty();
    }

    MethodHost host() {
        return host;
    }

    LoopbackHub hub() {
        return hub;
    }

    long number() {
        return number;
    }

    /** Counts a message that is copied to this member, under the lock of its inbox. */
    void countCopy(long sizeBytes) {
        if (sizeBytes > 0) {
            copies.addBySingleWriter(1);
        }
    }

    void countTruncated() {
        truncated.increment();
    }

    /**
     * An operation of this member is granted to the calling thread. Called under the lock of the
     * operation's inbox.
     */
    void transferBegins() {
        transfers.getAndIncrement();
    }

    /** The end of what {@link #transferBegins} announced. */
    void transferEnds() {
        transfers.getAndDecrement();
    }

    /** Reports the outcome of a granted operation of this member. */
    void completeGranted(Operation operation, int error, long sizeBytes) {
        try {
            complete(operation, error, sizeBytes);
        } finally {
            transferEnds();
        }
    }

    /** Reports the outcome of an operation of this member. */
    void complete(Operation operation, int error, long sizeBytes) {
        unpin(operation);
        host.complete(operation, error, sizeBytes);
    }

    @Override
    public String toString() {
        return "loopback member " + number;
    }
}
