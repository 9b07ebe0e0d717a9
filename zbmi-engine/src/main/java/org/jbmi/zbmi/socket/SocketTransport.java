package org.jbmi.zbmi.socket;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * A socket with a selector of its own. One thread at a time selects and then dispatches for all;
 * the others park, and one of them is its heir when it leaves.
 *
 * <p>No wake-up is lost. Of "selecting, then look at the reason" in a thread and "the reason, then
 * look who selects" in whoever wakes it at least one look is in time, and so with room that is
 * wanted; and of "parked, then look whether somebody selects" and "nobody selects, then look who
 * parks".
 */
final class SocketTransport implements LinkTransport {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long VIRTUAL_PARK_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final ReentrantLock selecting = new ReentrantLock();
    private final ArrayDeque<Thread> parked = new ArrayDeque<>();
    private volatile @Nullable Thread selectingThread;
    private volatile boolean wantsRoom;

    /**
     * Takes a connected socket over.
     *
     * @param channel non-blocking
     */
    SocketTransport(SocketChannel channel) throws IOException {
        this.channel = channel;
        this.selector = Selector.open();
        this.key = channel.register(selector, SelectionKey.OP_READ);
    }

    @Override
    public void await(long timeoutNs, BooleanSupplier isOver) {
        if (Thread.currentThread().isVirtual()) {
            LockSupport.parkNanos(Math.min(timeoutNs, VIRTUAL_PARK_NS));
        } else if (selecting.tryLock()) {
            selectingThread = Thread.currentThread();
            try {
                if (!isOver.getAsBoolean()) {
                    select(timeoutNs);
                }
            } finally {
                selectingThread = null;
                selecting.unlock();
                wakeHeir();
            }
        } else {
            park(timeoutNs, isOver);
        }
    }

    @Override
    public void wantsRoom(boolean wants) {
        boolean isNew = wants && !wantsRoom;
        wantsRoom = wants;
        if (isNew && selectingThread != null) {
            wakeSelector();
        }
    }

    private void park(long timeoutNs, BooleanSupplier isOver) {
        Thread self = Thread.currentThread();
        synchronized (parked) {
            parked.addLast(self);
        }
        try {
            if (selecting.isLocked() && !isOver.getAsBoolean()) {
                LockSupport.parkNanos(this, timeoutNs);
            }
        } finally {
            synchronized (parked) {
                parked.removeFirstOccurrence(self);
            }
        }
    }

    private void wakeHeir() {
        synchronized (parked) {
            LockSupport.unpark(parked.peekFirst());
        }
    }

    // A thread that was interrupted before must wait all the same: its call is under way.
    private void select(long timeoutNs) {
        int operations = SelectionKey.OP_READ | (wantsRoom ? SelectionKey.OP_WRITE : 0);
        boolean wasInterrupted = Thread.interrupted();
        try {
            if (key.interestOps() != operations) {
                key.interestOps(operations);
            }
            selector.select(Math.max(1, timeoutNs / MS));
            selector.selectedKeys().clear();
        } catch (IOException | IllegalStateException e) {
            LockSupport.parkNanos(Math.min(timeoutNs, MS)); // closed: the caller looks and sees it
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the very thread
    public void wake(Thread thread) {
        if (thread == selectingThread) {
            wakeSelector();
        } else {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public void wakeAll() {
        wakeSelector();
        synchronized (parked) {
            parked.forEach(LockSupport::unpark);
        }
    }

    private void wakeSelector() {
        try {
            selector.wakeup();
        } catch (ClosedSelectorException e) {
            // Then nobody sleeps in it.
        }
    }

    @Override
    public SelectableChannel selectable() {
        return channel;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return channel.read(target);
    }

    @Override
    public long read(ByteBuffer[] targets) throws IOException {
        return channel.read(targets);
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        return channel.read(targets, offset, length);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return channel.write(source);
    }

    @Override
    public long write(ByteBuffer[] sources) throws IOException {
        return channel.write(sources);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        return channel.write(sources, offset, length);
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        try (selector) {
            channel.close();
        }
    }
}
