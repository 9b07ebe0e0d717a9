package org.jbmi.core;

import org.jbmi.config.Configuration;
import org.jbmi.core.operation.OperationRounds;
import org.jbmi.core.peer.CorePeer;
import org.jbmi.core.peer.PeerTable;
import org.jbmi.core.unexpected.UnexpectedStore;
import org.jbmi.core.waiting.Progress;
import org.jbmi.observe.Counters;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.Operation;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;

/** The core as one method sees it. */
final class HostBridge implements MethodHost {
    /** A message that arrived before its method was known. */
    private record Early(
            MethodAddress from,
            int tag,
            int messageClass,
            int error,
            MemorySegment memory,
            long offset,
            long sizeBytes,
            long token) {}

    /**
     * What a method learns of its instance.
     *
     * @param scheme the method's own
     * @param attachments objects of the program, by type
     */
    record Surroundings(
            String scheme,
            Configuration configuration,
            Counters counters,
            Map<Class<?>, Object> attachments) {}

    private final Surroundings surroundings;
    private final OperationRounds rounds;
    private final Progress progress;
    private final PeerTable peers;
    private final UnexpectedStore unexpected;
    private final ReentrantLock earlyLock = new ReentrantLock();
    private final Queue<Early> early = new ArrayDeque<>();
    private volatile @Nullable Method method;

    HostBridge(
            Surroundings surroundings,
            OperationRounds rounds,
            Progress progress,
            PeerTable peers,
            UnexpectedStore unexpected) {
        this.surroundings = surroundings;
        this.rounds = rounds;
        this.progress = progress;
        this.peers = peers;
        this.unexpected = unexpected;
    }

    /**
     * Sets the method. It gets this host in its constructor call, and its peers may send before the
     * provider has returned it. Messages that arrived meanwhile are delivered now, in order.
     */
    void opened(Method newMethod) {
        earlyLock.lock();
        try {
            for (Early e = early.poll(); e != null; e = early.poll()) {
                deliver(
                        newMethod,
                        e.from,
                        e.tag,
                        e.messageClass,
                        e.error,
                        e.memory,
                        e.offset,
                        e.sizeBytes,
                        e.token);
            }
            method = newMethod;
        } finally {
            earlyLock.unlock();
        }
    }

    @Override
    public void complete(Operation operation, int error, long sizeBytes) {
        rounds.complete(operation, error, sizeBytes);
    }

    @Override
    public void deliverUnexpected(
            MethodAddress from,
            int tag,
            int messageClass,
            int error,
            MemorySegment memory,
            long offset,
            long sizeBytes,
            long token) {
        Method receiver = method;
        if (receiver == null) {
            receiver =
                    awaitOpened(
                            new Early(
                                    from,
                                    tag,
                                    messageClass,
                                    error,
                                    memory,
                                    offset,
                                    sizeBytes,
                                    token));
        }
        if (receiver != null) {
            deliver(receiver, from, tag, messageClass, error, memory, offset, sizeBytes, token);
        }
    }

    /** Keeps a message until the method is known; returns the method if it is known by now. */
    private @Nullable Method awaitOpened(Early message) {
        earlyLock.lock();
        try {
            Method receiver = method;
            if (receiver == null) {
                early.add(message);
            }
            return receiver;
        } finally {
            earlyLock.unlock();
        }
    }

    private void deliver(
            Method receiver,
            MethodAddress from,
            int tag,
            int messageClass,
            int error,
            MemorySegment memory,
            long offset,
            long sizeBytes,
            long token) {
        unexpected.arrived(
                receiver,
                surroundings.scheme,
                from,
                tag,
                messageClass,
                error,
                memory,
                offset,
                sizeBytes,
                token);
    }

    @Override
    public void peerFailed(MethodAddress address, int error) {
        if (address.handle() instanceof CorePeer peer) {
            peers.failed(peer, error);
        }
    }

    @Override
    public void wake() {
        progress.wake();
    }

    @Override
    public Configuration configuration() {
        return surroundings.configuration;
    }

    @Override
    public Counters counters() {
        return surroundings.counters;
    }

    @Override
    public <T> @Nullable T attachment(Class<T> type) {
        return type.cast(surroundings.attachments.get(type));
    }
}
