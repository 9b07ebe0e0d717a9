package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;

import java.util.ArrayList;
import java.util.List;

/**
 * Memory in which a thread's stores are seen by others as late as they may be: at its next full
 * fence, volatile store or atomic access, in their order. Lincheck by itself knows only memory in
 * which each store is seen at once, where no fence can be missed. With {@code fences} off, fences
 * and volatile stores do not end the delay, as if they were not there.
 */
final class LateMemory extends ArrayMemory {
    private record Store(boolean isInt, long offset, long value) {}

    private final boolean fences;
    private final ThreadLocal<List<Store>> late = ThreadLocal.withInitial(ArrayList::new);

    LateMemory(int bytes, boolean fences) {
        super(bytes);
        this.fences = fences;
    }

    /** For the end of an operation: what the thread has stored is seen by all; elsewhere it is. */
    static void settle(SharedMemory memory) {
        if (memory instanceof LateMemory own) {
            own.flush();
        }
    }

    private void flush() {
        List<Store> stores = late.get();
        for (Store store : stores) {
            if (store.isInt) {
                super.setIntRelease(store.offset, (int) store.value);
            } else {
                super.setLongRelease(store.offset, store.value);
            }
        }
        stores.clear();
    }

    private void delay(boolean isInt, long offset, long value) {
        late.get().add(new Store(isInt, offset, value));
    }

    private long load(boolean isInt, long offset) {
        List<Store> stores = late.get();
        for (int i = stores.size() - 1; i >= 0; i--) {
            Store store = stores.get(i);
            if (store.isInt == isInt && store.offset == offset) {
                return store.value;
            }
        }
        return isInt ? super.getIntVolatile(offset) : super.getLongVolatile(offset);
    }

    @Override
    public void fullFence() {
        if (fences) {
            flush();
        }
    }

    @Override
    public long getLongPlain(long offset) {
        return load(false, offset);
    }

    @Override
    public long getLongAcquire(long offset) {
        return load(false, offset);
    }

    @Override
    public long getLongVolatile(long offset) {
        return load(false, offset);
    }

    @Override
    public int getIntPlain(long offset) {
        return (int) load(true, offset);
    }

    @Override
    public int getIntAcquire(long offset) {
        return (int) load(true, offset);
    }

    @Override
    public int getIntVolatile(long offset) {
        return (int) load(true, offset);
    }

    @Override
    public void setLongPlain(long offset, long value) {
        delay(false, offset, value);
    }

    @Override
    public void setLongRelease(long offset, long value) {
        delay(false, offset, value);
    }

    @Override
    public void setLongVolatile(long offset, long value) {
        delay(false, offset, value);
        fullFence();
    }

    @Override
    public void setIntPlain(long offset, int value) {
        delay(true, offset, value);
    }

    @Override
    public void setIntRelease(long offset, int value) {
        delay(true, offset, value);
    }

    @Override
    public void setIntVolatile(long offset, int value) {
        delay(true, offset, value);
        fullFence();
    }

    @Override
    public boolean compareAndSetLong(long offset, long expected, long value) {
        flush();
        return super.compareAndSetLong(offset, expected, value);
    }

    @Override
    public long getAndAddLong(long offset, long delta) {
        flush();
        return super.getAndAddLong(offset, delta);
    }

    @Override
    public long getAndSetLong(long offset, long value) {
        flush();
        return super.getAndSetLong(offset, value);
    }

    @Override
    public long getAndOrLong(long offset, long mask) {
        flush();
        return super.getAndOrLong(offset, mask);
    }

    @Override
    public boolean compareAndSetInt(long offset, int expected, int value) {
        flush();
        return super.compareAndSetInt(offset, expected, value);
    }

    @Override
    public int getAndSetInt(long offset, int value) {
        flush();
        return super.getAndSetInt(offset, value);
    }
}
