package org.jbmi.zbmi.socket;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** A socket with a selector of its own. One thread at a time selects, the others park. */
final class SocketTransport implements LinkTransport {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long VIRTUAL_PARK_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final ReentrantLock selecting = new ReentrantLock();

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
    public void await(boolean wantsRoom, long timeoutNs) {
        if (Thread.currentThread().isVirtual()) {
            LockSupport.parkNanos(Math.min(timeoutNs, VIRTUAL_PARK_NS));
        } else if (selecting.tryLock()) {
            try {
                select(wantsRoom, timeoutNs);
            } finally {
                selecting.unlock();
            }
        } else {
            // Whoever selects dispatches for all; its end must not leave nobody there for long.
            LockSupport.parkNanos(Math.min(timeoutNs, MS));
        }
    }

    // A thread that was interrupted before must wait all the same: its call is under way.
    private void select(boolean wantsRoom, long timeoutNs) {
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
    public void wake() {
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
