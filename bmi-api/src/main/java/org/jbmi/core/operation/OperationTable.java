package org.jbmi.core.operation;

import org.jbmi.PostResult;
import org.jbmi.spi.SpinLock;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * All operations of an instance, bounded, found by id in constant time.
 *
 * <p>An id is {@link PostResult#PENDING_BIT}, a generation and a slot. Free operations queue
 * first-in first-out in levels that double the number of slots, and the lowest level that has some
 * gives them. Contexts take and give back many at a time and keep some at hand ({@link
 * OperationStock}), first in, first out as well, at least 64 while there are free ones: with 64
 * slots, 17 slot bits and twenty million operations a second an id comes back after three years.
 * Slots are made when they are needed and kept.
 *
 * <p><b>Locking.</b> The lock of this table is taken before that of a context, never the other way
 * round. Only here are locks of several contexts held at once, in the order of their stocks.
 */
public final class OperationTable {
    private static final int CHUNK_BITS = 6;
    private static final int CHUNK = 1 << CHUNK_BITS;
    private static final int ID_BITS = 62;

    /** The slots of the first level; each further level has as many as all before it. */
    private static final int FIRST_LEVEL_BITS = 10;

    /** How many a context gets at a time. */
    private static final int BATCH = 64;

    /** Where all slots are made, a context gets one of so many, so that others find some too. */
    private static final int SHARE = 4;

    private final int slotBits;
    private final int most;
    private final int slotMask;
    private final SpinLock lock = new SpinLock();

    /** Free operations that no context has, by the level of their slot. */
    private final OperationList[] free;

    private final List<OperationStock> stocks = new ArrayList<>();
    private final CoreOperation[] @Nullable [] chunks;
    private volatile int made;

    /** How many are in {@link #free}; guarded by the lock. */
    private int pooled;

    /** The same for those who look without the lock. */
    private volatile boolean isEmpty = true;

    public OperationTable(int maxOperations) {
        most = maxOperations;
        slotBits = Math.max(CHUNK_BITS, 32 - Integer.numberOfLeadingZeros(maxOperations - 1));
        int capacity = 1 << slotBits;
        slotMask = capacity - 1;
        free = new OperationList[levelOf(capacity - 1) + 1];
        for (int i = 0; i < free.length; i++) {
            free[i] = new OperationList();
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

    /** Operations pending or unreported; exact when nothing moves. */
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

    /** Whether a context that runs short should ask; a look without the lock. */
    boolean mayHaveFree() {
        return !isEmpty || made < most;
    }

    /**
     * Gives a context many free operations, and one of them to the caller. Null if as many as
     * allowed are in use: that was so at one moment of this call.
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

    /** Collects what contexts have at hand, all at one moment, since there is nothing else left. */
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

    /** Takes what a context has too much. */
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
        free[levelOf(operation.slot)].add(operation);
        pooled++;
    }

    private @Nullable CoreOperation poll() {
        for (int i = 0; pooled > 0 && i < free.length; i++) {
            CoreOperation operation = free[i].poll();
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

    /** Finds a live operation, or null for every other number. */
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
     * Looks at every operation that was begun before this call, and at some that were begun
     * meanwhile, whatever their state: who posts takes its operation under the lock of its context,
     * and these are taken once before.
     */
    void forEach(Consumer<CoreOperation> action) {
        letPostsPass();
        int count = made;
        for (int slot = 0; slot < count; slot++) {
            CoreOperation[] chunk = chunks[slot >> CHUNK_BITS];
            if (chunk != null) {
                action.accept(chunk[slot & (CHUNK - 1)]);
            }
        }
    }

    private void letPostsPass() {
        lock.lock();
        try {
            for (OperationStock stock : stocks) {
                stock.lock.lock();
                stock.lock.unlock();
            }
        } finally {
            lock.unlock();
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
