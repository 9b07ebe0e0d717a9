package org.jbmi.zbmi.socket;

import org.jbmi.mempool.Parking;
import org.jbmi.zbmi.attach.Interrupts;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * A socket with a selector of its own. One thread at a time selects and dispatches for all; the
 * others park. When it leaves, it wakes one of them, its successor. A successor that leaves wakes
 * another: the thread before it may have read its answer.
 *
 * <p>No wake-up is lost. Each of two threads stores something, and then reads what the other
 * stores. So at least one sees what the other stored:
 *
 * <ul>
 *   <li>A thread that goes to sleep stores {@code selecting}, then reads whether it must wake up. A
 *       thread that wakes it stores that it must, then reads {@code selecting}. A request for room
 *       works in the same way.
 *   <li>A thread that parks adds itself to {@code parked}, then reads {@code selecting}. A thread
 *       that leaves the selector clears {@code selecting}, then reads {@code parked}.
 * </ul>
 */
final class SocketTransport implements LinkTransport {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long VIRTUAL_PARK_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final Parking parking;
    private final AtomicReference<@Nullable Thread> selecting = new AtomicReference<>();
    private final ArrayDeque<Thread> parked = new ArrayDeque<>();
    private volatile boolean wantsRoom;

    /**
     * Takes over a connected socket; if this fails, the caller must close it.
     *
     * @param channel non-blocking
     * @param settings makes the selector, and parks threads
     */
    SocketTransport(SocketChannel channel, LinkSettings settings) throws IOException {
        this.channel = channel;
        this.parking = settings.parking();
        this.selector = settings.sockets().openSelector();
        this.key = registered(channel, selector);
    }

    // An open selector would leak a file descriptor.
    private static SelectionKey registered(SocketChannel channel, Selector selector)
            throws IOException {
        boolean isRegistered = false;
        try {
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            isRegistered = true;
            return key;
        } finally {
            if (!isRegistered) {
                selector.close();
            }
        }
    }

    // A thread that was interrupted before must wait all the same: its call is under way.
    @Override
    public void await(long timeoutNs, BooleanSupplier isOver) {
        boolean wasInterrupted = Interrupts.setAside();
        try {
            awaitUninterrupted(timeoutNs, isOver);
        } finally {
            Interrupts.restore(wasInterrupted);
        }
    }

    private void awaitUninterrupted(long timeoutNs, BooleanSupplier isOver) {
        Thread self = parking.current();
        if (self.isVirtual()) {
            parking.park(this, Math.min(timeoutNs, VIRTUAL_PARK_NS));
        } else if (selecting.compareAndSet(null, self)) {
            try {
                if (!isOver.getAsBoolean()) {
                    select(timeoutNs);
                }
            } finally {
                selecting.set(null);
                wakeSuccessor();
            }
        } else {
            park(self, timeoutNs, isOver);
        }
    }

    @Override
    public void wantsRoom(boolean wants) {
        boolean isNew = wants && !wantsRoom;
        wantsRoom = wants;
        if (isNew && selecting.get() != null) {
            wakeSelector();
        }
    }

    private void park(Thread self, long timeoutNs, BooleanSupplier isOver) {
        synchronized (parked) {
            parked.addLast(self);
        }
        try {
            if (selecting.get() != null && !isOver.getAsBoolean()) {
                parking.park(this, timeoutNs);
            }
        } finally {
            synchronized (parked) {
                parked.removeFirstOccurrence(self);
            }
            if (selecting.get() == null) {
                wakeSuccessor(); // this thread may not come back
            }
        }
    }

    private void wakeSuccessor() {
        synchronized (parked) {
            parking.unpark(parked.peekFirst());
        }
    }

    private void select(long timeoutNs) {
        int operations = SelectionKey.OP_READ | (wantsRoom ? SelectionKey.OP_WRITE : 0);
        try {
            if (key.interestOps() != operations) {
                key.interestOps(operations);
            }
            selector.select(Math.max(1, timeoutNs / MS));
            selector.selectedKeys().clear();
        } catch (IOException | IllegalStateException e) {
            parking.park(this, Math.min(timeoutNs, MS)); // closed: the caller checks and sees it
        }
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the very thread
    public void wake(Thread thread) {
        if (thread == selecting.get()) {
            wakeSelector();
        } else {
            parking.unpark(thread);
        }
    }

    @Override
    public void wakeAll() {
        wakeSelector();
        synchronized (parked) {
            parked.forEach(parking::unpark);
        }
    }

    private void wakeSelector() {
        try {
            selector.wakeup();
        } catch (ClosedSelectorException e) {
            // Then no thread sleeps in it.
        }
    }

    @Override
    public SelectableChannel selectable() {
        return channel;
    }

    @Override
    public ScatteringByteChannel in() {
        return channel;
    }

    @Override
    public GatheringByteChannel out() {
        return channel;
    }

    @Override
    public void close() throws IOException {
        try (selector) {
            channel.close();
        }
    }
}
