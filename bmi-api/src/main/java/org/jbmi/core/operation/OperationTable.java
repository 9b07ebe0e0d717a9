package org.jbmi.core.operation;

import org.jbmi.PostResult;
import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.spi.SpinLock;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * All operations of an instance: a bounded table, in which an id is found in constant time.
 *
 * <p>An id is {@link PostResult#PENDING_BIT}, a generation and a slot. Free operations are queued
 * first-in-first-out in levels, each of which doubles the number of slots; the lowest level that
 * has some is used. Contexts move many at a time and keep some ({@link OperationStock}), at least
 * 64 while there are free ones. With 64 slots, 17 slot bits and twenty million operations a second
 * an id is reused after three years. Slots are allocated on demand and kept.
 *
 * <p><b>Locking.</b> A thread takes the lock of this table before that of a context, never after.
 * Only this class holds the locks of several contexts at once, in the order of their stocks.
 */
public final class OperationTable {
    private static final int CHUNK_BITS = 6;
    private static final int CHUNK = 1 << CHUNK_BITS;
    private static final int ID_BITS = 62;

    /** The slots of the first level; each further level has as many as all before it. */
    private static final int FIRST_LEVEL_BITS = 10;

    /** How many a context fetches at a time. */
    private static final int BATCH = 64;

    /** When all slots are allocated, a context fetches this fraction of the free ones at most. */
    private static final int SHARE = 4;

    private final int slotBits;
    private final int most;
    private final int slotMask;
    private final SpinLock lock = new SpinLock();

    /** Free operations outside of contexts, by the level of their slot. */
    private final List<IntrusiveQueue<CoreOperation>> free = new ArrayList<>();

    private final List<OperationStock> stocks = new ArrayList<>();
    private final CoreOperation[] @Nullable [] chunks;
    private volatile int made;

    /** How many are in {@link #free}; guarded by the lock. */
    private int pooled;

    /** The same for threads that check it without the lock. */
    private volatile boolean isEmpty = true;

    public OperationTable(int maxOperations) {
        most = maxOperations;
        slotBits = Math.max(CHUNK_BITS, 32 - Integer.numberOfLeadingZeros(maxOperations - 1));
        int capacity = 1 << slotBits;
        slotMask = capacity - 1;
        for (int i = 0; i <= levelOf(capacity - 1); i++) {
            free.add(new IntrusiveQueue<>());
        }
        chunks = new CoreOperation[capacity >> CHUNK_BITS][];
    }

    static long idOf(long generation, int slot, int slotBits) {
        long mask = (1L << (ID_BITS - slotBits)) - 1;
        return PostResult.PENDING_BIT | (generation & mask) << slotBits | slot;
    }

    int slotBits() {
        return slotBits;
    }

    /** Operations pending or unreported; exact while no thread posts or tests. */
    public int inUse() {
        lock.lock();
        try {
            int inUse = made - pooled;
            for (OperationStock stock : stocks) {
                stock.lock.lock();
                inUse -= stock.size();
                stock.lock.unlock();
            }
            return inUse;
        } finally {
            lock.unlock();
        }
    }

    void add(OperationStock stock) {
        lock.lock();
        try {
            stocks.add(stock);
        } finally {
            lock.unlock();
        }
    }

    void remove(OperationStock stock) {
        lock.lock();
        try {
            stocks.remove(stock);
        } finally {
            lock.unlock();
        }
        takeBack(stock);
    }

    /** Whether a context that runs short should fetch; checked without the lock. */
    boolean mayHaveFree() {
        return !isEmpty || made < most;
    }

    /**
     * Moves free operations to a context and returns one of them, or null if all were in use at
     * some moment of this call.
     */
    @Nullable CoreOperation fetch(OperationStock stock) {
        lock.lock();
        try {
            if (pooled == 0 && !grow()) {
                gather();
            }
            int count = made < most ? BATCH : Math.min(BATCH, 1 + pooled / SHARE);
            return move(stock, count);
        } finally {
            isEmpty = pooled == 0;
            lock.unlock();
        }
    }

    private @Nullable CoreOperation move(OperationStock stock, int count) {
        stock.lock.lock();
        try {
            for (int i = 0; i < (stock.isClosed() ? 1 : count); i++) {
                CoreOperation operation = poll();
                if (operation == null) {
                    break;
                }
                stock.add(operation);
            }
            return stock.takeAny();
        } finally {
            stock.lock.unlock();
        }
    }

    /**
     * Takes the free operations of all contexts, with all their locks held, since none are left
     * here.
     */
    private void gather() {
        int locked = 0;
        try {
            while (locked < stocks.size()) {
                stocks.get(locked).lock.lock();
                locked++;
            }
            for (OperationStock stock : stocks) {
                takeAll(stock, 0);
            }
        } finally {
            for (int i = 0; i < locked; i++) {
                stocks.get(i).lock.unlock();
            }
        }
    }

    /** Takes the surplus operations of a context. */
    void takeBack(OperationStock stock) {
        lock.lock();
        try {
            stock.lock.lock();
            try {
                takeAll(stock, stock.kept());
            } finally {
                stock.lock.unlock();
            }
        } finally {
            isEmpty = pooled == 0;
            lock.unlock();
        }
    }

    private void takeAll(OperationStock stock, int but) {
        while (stock.size() > but) {
            CoreOperation operation = stock.takeAny();
            if (operation != null) {
                put(operation);
            }
        }
    }

    private void put(CoreOperation operation) {
        free.get(levelOf(operation.slot)).addLast(operation);
        pooled++;
    }

    private @Nullable CoreOperation poll() {
        for (int i = 0; pooled > 0 && i < free.size(); i++) {
            CoreOperation operation = free.get(i).poll();
            if (operation != null) {
                pooled--;
                return operation;
            }
        }
        return null;
    }

    private static int levelOf(int slot) {
        return 32 - Integer.numberOfLeadingZeros(slot >> FIRST_LEVEL_BITS);
    }

    /** Finds a live operation; null if no operation has the id. */
    @Nullable CoreOperation find(long id) {
        if (id < PostResult.PENDING_BIT) {
            return null;
        }
        int slot = (int) (id & slotMask);
        if (slot >= made) {
            return null;
        }
        CoreOperation[] chunk = chunks[slot >> CHUNK_BITS];
        if (chunk == null) {
            return null;
        }
        CoreOperation operation = chunk[slot & (CHUNK - 1)];
        return operation.id() == id ? operation : null;
    }

    /**
     * How many slots to visit with {@link #at} to see every operation that was posted before this
     * call, whatever its state. A post takes its operation under the lock of its context; this
     * method takes each of these locks once first. It needs no memory.
     */
    int countToVisit() {
        lock.lock();
        try {
            for (int i = 0; i < stocks.size(); i++) {
                OperationStock stock = stocks.get(i);
                stock.lock.lock();
                stock.lock.unlock();
            }
        } finally {
            lock.unlock();
        }
        return made;
    }

    /** The operation of a slot that was made. */
    CoreOperation at(int slot) {
        return Objects.requireNonNull(chunks[slot >> CHUNK_BITS])[slot & (CHUNK - 1)];
    }

    /** Notes that a look finds those in use now, without a lock. */
    void see(long nowNs) {
        int count = made;
        for (int slot = 0; slot < count; slot++) {
            at(slot).seen(nowNs);
        }
    }

    private boolean grow() {
        if (made == most) {
            return false;
        }
        int first = made;
        int end = Math.min(first + CHUNK, most);
        CoreOperation[] chunk = new CoreOperation[CHUNK];
        for (int i = 0; i < CHUNK; i++) {
            chunk[i] = new CoreOperation(first + i);
        }
        chunks[first >> CHUNK_BITS] = chunk;
        made = end;
        for (int i = 0; i < end - first; i++) {
            put(chunk[i]);
        }
        return true;
    }
}
