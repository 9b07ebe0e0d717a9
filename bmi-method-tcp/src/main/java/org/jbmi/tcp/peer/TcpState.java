package org.jbmi.tcp.peer;

import org.jbmi.mempool.pool.PinnedPool;
import org.jbmi.spi.AllocationTracking;
import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.Operation;
import org.jbmi.spi.Payloads;
import org.jbmi.tcp.io.BatchBuffer;
import org.jbmi.tcp.io.Interests;
import org.jbmi.tcp.io.Rest;
import org.jbmi.tcp.memory.PeerAccount;
import org.jbmi.tcp.memory.PeerMemory;
import org.jbmi.tcp.settings.TcpCodes;
import org.jbmi.tcp.settings.TcpCounters;
import org.jbmi.tcp.settings.TcpKnobs;
import org.jbmi.tcp.settings.TcpSettings;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The state that the parts of one open method share. One lock guards peers, connections and
 * operations. A thread holds it for short steps, in which it reads and writes no socket. The writer
 * of a connection, or the lead, moves bytes without the lock. One exception: if two peers turn out
 * to be one, a thread copies a waiting message under it.
 */
final class TcpState {
    private static final System.Logger LOG = System.getLogger(TcpState.class.getName());

    /** So many records of early messages are kept for reuse. */
    private static final int MAX_FREE_EARLY = 1000;

    // States of operations.
    /** A send of which no byte was written. */
    static final int QUEUED = 1;

    /** A send that a writer has started. */
    static final int STARTED = 2;

    /** A started send that the writer must cancel. */
    static final int STARTED_CANCELLED = 3;

    /** A receive without a message. */
    static final int POSTED = 4;

    /** A receive that is being filled, by the connection in its attachment. */
    static final int MOVING = 5;

    /** A receive whose message is being read into the memory for early messages. */
    static final int CLAIMED = 6;

    /** A receive into which an early message is being copied. */
    static final int COPYING = 7;

    final Object lock = new Object();
    final MethodHost host;
    final TcpSettings settings;
    final TcpCounters counters;
    final Payloads payloads;
    final PinnedPool pool;
    final PeerMemory unexpected;
    final PeerMemory early;
    final Stashes stashes;
    final Interests interests = new Interests();

    /** The hash in every header that is sent. */
    int sourceHash;

    /** All connections that have not ended. */
    final List<Connection> connections = new ArrayList<>();

    /** Connection attempts. */
    final List<Dial> dials = new ArrayList<>();

    /** Peers that have gone and of which complete messages are kept. */
    final List<TcpPeer> lingering = new ArrayList<>();

    /** Connections that the lead must serve although their socket has no event. */
    private final IntrusiveList<Connection.Place> attention = new IntrusiveList<>();

    /** Connections that wait for memory, the longest first. */
    private final IntrusiveList<Connection.Place> stalled = new IntrusiveList<>();

    /**
     * Whether any timeout may be running, so that a lead that sleeps must wake for the next tick.
     */
    private volatile boolean isTimed;

    private volatile boolean hasAttention;
    private volatile boolean hasStalled;
    private volatile boolean memoryFreed;
    volatile boolean closed;

    /**
     * How many connections have ended; the descriptors that they held are free after the lead's
     * next poll.
     */
    int endedConnections;

    /** Changes with each round of the lead, so that a burst of posts without rounds is noticed. */
    volatile int progressRounds;

    private final IntrusiveQueue<BatchBuffer> freeBatches = new IntrusiveQueue<>();
    private int batchesInUse;
    private final IntrusiveList<Connection.Place> awaitingBatch = new IntrusiveList<>();
    private long restBytes;

    /** The part of them that copies of batches have. */
    private long batchCopyBytes;

    /** Writes the waiting sends of a connection a moment later; called under the lock. */
    Consumer<Connection> flush = connection -> {};

    private final IntrusiveQueue<EarlyMessage> freeEarly = new IntrusiveQueue<>();

    TcpState(MethodHost host, TcpSettings settings) {
        this.host = host;
        this.settings = settings;
        counters = new TcpCounters(host.counters());
        payloads = new Payloads(counters.copies);
        pool =
                new PinnedPool(
                        LOG,
                        host.configuration().get(TcpKnobs.POOL_BYTES),
                        host.configuration().get(AllocationTracking.KNOB),
                        counters.poolBlocks::add);
        stashes =
                new Stashes(
                        host.configuration().get(TcpKnobs.AHEAD_BYTES), counters.aheadHeldBytes);
        unexpected =
                new PeerMemory(
                        host.configuration().get(TcpKnobs.UNEXPECTED_BYTES),
                        host.configuration().get(TcpKnobs.UNEXPECTED_PEER_BYTES),
                        PeerAccount.UNEXPECTED,
                        counters.unexpectedHeldBytes);
        early =
                new PeerMemory(
                        host.configuration().get(TcpKnobs.EARLY_BYTES),
                        host.configuration().get(TcpKnobs.EARLY_PEER_BYTES),
                        PeerAccount.EARLY,
                        counters.earlyHeldBytes);
    }

    /**
     * Pins those buffers of an operation that lie in the pool; its second word says whether it
     * holds pins.
     *
     * @return whether the pins succeeded
     */
    boolean pin(Operation operation, boolean onlyPool) {
        int pins = pool.pin(operation, operation.bufferCount(), Operation::buffer, onlyPool);
        operation.word1(Math.max(0, pins));
        return pins != PinnedPool.REFUSED;
    }

    /** Unpins an operation's buffers, if they are pinned. */
    void unpin(Operation operation) {
        if (operation.word1() != 0) {
            operation.word1(0);
            pool.unpin(operation, operation.bufferCount(), Operation::buffer);
        }
    }

    /** Reports an outcome; the operation is in no queue any more. */
    void complete(Operation operation, int error, long sizeBytes) {
        operation.methodState(0);
        operation.attachment(null);
        unpin(operation);
        host.complete(operation, error, sizeBytes);
    }

    /** Ends all operations of a queue; under the lock. */
    void completeAll(IntrusiveList<Operation> queue, int error) {
        for (Operation operation = queue.poll(); operation != null; operation = queue.poll()) {
            complete(operation, error, 0);
        }
    }

    /**
     * Copies a whole message; returns 0 or EFAULT. It fails if the program closed the arena of its
     * buffer, or shortened the file that its buffer maps. It also fails if the JVM runs out of
     * memory. A shortened file is not always noticed: compiled code may throw the InternalError
     * later.
     */
    int copyOut(EarlyMessage message, Operation receive) {
        if (message.sizeBytes() == 0) {
            return 0;
        }
        try {
            payloads.copyOut(message.memory, message.offset, message.sizeBytes(), receive);
            return 0;
        } catch (RuntimeException | InternalError | OutOfMemoryError e) {
            return TcpCodes.EFAULT;
        }
    }

    /** Copies a whole message into a receive, ends the receive, and frees the message. */
    void deliver(EarlyMessage message, Operation receive) {
        int error = TcpCodes.EFAULT; // also if an Error comes late
        try {
            error = copyOut(message, receive);
        } finally {
            synchronized (lock) {
                complete(receive, error, error == 0 ? message.sizeBytes() : 0);
                freeEarly(message);
            }
        }
    }

    /** Frees an early message; under the lock. */
    void freeEarly(EarlyMessage message) {
        early.free(message.token);
        giveEarly(message);
        memoryFreed();
    }

    // ---- the lead's lists ----

    /** Asks the lead to serve a connection; under the lock. */
    void attend(Connection connection) {
        if (!connection.attentionPlace.isListed()) {
            attention.addLast(connection.attentionPlace);
            hasAttention = true;
            host.wake();
        }
    }

    /** A timeout begins to run. Called by the lead, or by a caller that wakes it. */
    void beginsTime() {
        if (!isTimed) {
            isTimed = true;
        }
    }

    /**
     * The lead is about to check all timeouts. If it finds one that runs, it calls {@link
     * #beginsTime} again.
     */
    void forgetTimes() {
        isTimed = false;
    }

    boolean isTimed() {
        return isTimed;
    }

    boolean hasAttention() {
        return hasAttention || (memoryFreed && hasStalled);
    }

    /** Takes the next connection to serve; under the lock. */
    @Nullable Connection pollAttention() {
        Connection.Place next = attention.poll();
        hasAttention = !attention.isEmpty();
        return next == null ? null : next.connection;
    }

    /** How many connections the lead must serve; under the lock. */
    int attentionCount() {
        return attention.size();
    }

    /** Adds a connection to those that wait for memory; under the lock. */
    void stall(Connection connection) {
        if (!connection.stallPlace.isListed()) {
            stalled.addLast(connection.stallPlace);
            hasStalled = true;
            counters.stalls.increment();
        }
    }

    /** Whether any connection waits for memory. */
    boolean hasStalled() {
        return hasStalled;
    }

    /** Removes a connection from those; under the lock. */
    void unstall(Connection connection) {
        if (stalled.remove(connection.stallPlace)) {
            hasStalled = !stalled.isEmpty();
        }
    }

    /** How much more of a peer's messages can be kept, of either kind; a hint. */
    long roomFor(TcpPeer peer) {
        return Math.min(unexpected.roomFor(peer.account), early.roomFor(peer.account));
    }

    /** Memory was freed: connections that wait for it try again. */
    void memoryFreed() {
        memoryFreed = true;
        if (hasStalled) {
            host.wake();
        }
    }

    /**
     * Moves connections that wait for memory to the lead's list if some was freed; under the lock.
     */
    void attendStalled() {
        if (memoryFreed) {
            memoryFreed = false;
            for (Connection.Place each = stalled.first(); each != null; each = stalled.next(each)) {
                attend(each.connection);
            }
        }
    }

    // ---- pooled objects; under the lock ----

    /**
     * Takes a batch buffer.
     *
     * @return null if all are in use, or there is no memory for another one
     */
    @Nullable BatchBuffer takeBatch() {
        BatchBuffer batch = freeBatches.poll();
        if (batch == null) {
            return newBatch();
        }
        batch.clear();
        batchesInUse++;
        return batch;
    }

    private @Nullable BatchBuffer newBatch() {
        if (batchesInUse >= settings.maxBatches) {
            return null;
        }
        try {
            BatchBuffer batch = new BatchBuffer(settings.batchBytes + 64);
            batchesInUse++;
            return batch;
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    /**
     * Whether so many batches are in use that a connection which cannot write must not keep its
     * own.
     */
    boolean lacksBatches() {
        return batchesInUse > settings.maxBatches / 2;
    }

    /** Frees the batch of a connection, or the copy of its rest. */
    void giveBatch(Connection connection) {
        BatchBuffer batch = connection.outgoing.batch;
        if (batch != null) {
            connection.outgoing.batch = null;
            if (batch.isCopy) {
                unreserveBatchCopy(batch.bytes.capacity());
                return;
            }
            freeBatches.addFirst(batch);
            batchesInUse--;
            for (Connection.Place next = awaitingBatch.poll();
                    next != null;
                    next = awaitingBatch.poll()) {
                attend(next.connection);
                flush.accept(next.connection); // perhaps no thread makes a test call
            }
        }
    }

    /**
     * Adds a connection whose sends wait for a batch buffer; the lead serves it when there is one.
     *
     * @return false if no batch is in use, so that none will be freed
     */
    boolean awaitBatch(Connection connection) {
        if (batchesInUse == 0) {
            return false;
        }
        if (!connection.batchPlace.isListed()) {
            awaitingBatch.addLast(connection.batchPlace);
        }
        connection.corked = true;
        return true;
    }

    /** Reserves room for bytes that are written later; false if there is none. */
    boolean reserveRest(long sizeBytes) {
        if (restBytes + sizeBytes > settings.maxRestBytes) {
            return false;
        }
        restBytes += sizeBytes;
        return true;
    }

    void unreserveRest(long sizeBytes) {
        restBytes -= sizeBytes;
    }

    /**
     * Reserves room for the copy of a batch; false if there is none. Such copies get half of the
     * room, so that a send to a peer that reads can still be cancelled.
     */
    boolean reserveBatchCopy(long sizeBytes) {
        if (batchCopyBytes + sizeBytes > settings.maxRestBytes / 2 || !reserveRest(sizeBytes)) {
            return false;
        }
        batchCopyBytes += sizeBytes;
        return true;
    }

    void unreserveBatchCopy(long sizeBytes) {
        batchCopyBytes -= sizeBytes;
        unreserveRest(sizeBytes);
    }

    /** Frees the rest of a cancelled send. */
    void giveRest(Connection connection) {
        Rest rest = connection.outgoing.rest;
        if (rest != null) {
            connection.outgoing.rest = null;
            restBytes -= rest.sizeBytes();
            rest.close();
        }
    }

    EarlyMessage takeEarly() {
        EarlyMessage message = freeEarly.poll();
        return message == null ? new EarlyMessage() : message;
    }

    void giveEarly(EarlyMessage message) {
        message.claimant = null;
        if (freeEarly.size() < MAX_FREE_EARLY) {
            freeEarly.addFirst(message);
        }
    }
}
