package org.jbmi.mempool;

import org.jbmi.mempool.os.Errno;
import org.jbmi.mempool.os.NativeAccess;
import org.jbmi.mempool.os.WaitBuffer;

/**
 * {@link Waiting} on the kernel's futex, between processes. Needs memory with an address, and
 * {@link NativeAccess#unavailabilityReason()} to be empty.
 *
 * <p>Thread-safe. The first wait of a thread allocates a few dozen bytes for that thread; after
 * that neither call allocates. An unexpected result of the system call is an {@link
 * IllegalStateException}. Without an exception, such a result would turn every wait into a busy
 * loop.
 */
public final class FutexWaiting implements Waiting {

    // One for each instance, not static: it dies with this object, and tests share nothing.
    @SuppressWarnings("ThreadLocalUsage")
    private final ThreadLocal<WaitBuffer> buffers = ThreadLocal.withInitial(WaitBuffer::new);

    private volatile Runnable onCall = () -> {};

    /** Makes one; it holds nothing that must be closed. */
    public FutexWaiting() {}

    /**
     * Adds a hook that is called before each system call.
     *
     * @param hook counts; by any thread, several at a time
     */
    public synchronized void onSystemCall(Runnable hook) {
        Runnable before = onCall;
        onCall =
                () -> {
                    before.run();
                    hook.run();
                };
    }

    @Override
    public boolean await(SharedMemory memory, long offset, int expected, long timeoutNs) {
        if (memory.getIntVolatile(offset) != expected) {
            return true;
        }
        if (timeoutNs <= 0) {
            return false;
        }
        long address = memory.nativeAddress(offset, Integer.BYTES);
        WaitBuffer buffer = buffers.get();
        long startNs = System.nanoTime();
        onCall.run();
        if (NativeAccess.futexWait(address, expected, timeoutNs, buffer)) {
            return true;
        }
        if (System.nanoTime() - startNs >= timeoutNs) {
            return false;
        }
        if (memory.getIntVolatile(offset) != expected) {
            return true;
        }
        onCall.run();
        int error = NativeAccess.futexWaitError(address, expected, buffer);
        if (error != 0
                && error != Errno.EAGAIN
                && error != Errno.EINTR
                && error != Errno.ETIMEDOUT) {
            throw new IllegalStateException("futex wait: " + Errno.describe(error));
        }
        return true; // a signal came in between
    }

    @Override
    public void wakeAll(SharedMemory memory, long offset) {
        onCall.run();
        NativeAccess.futexWakeAll(memory.nativeAddress(offset, Integer.BYTES));
    }
}
