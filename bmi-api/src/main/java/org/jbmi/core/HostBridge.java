package org.jbmi.core;

import org.jbmi.config.Configuration;
import org.jbmi.observe.Counters;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.Operation;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;

/** What one method sees of the core. */
final class HostBridge implements MethodHost {
    /** A message that came before its method was known. */
    private record Early(
            MethodAddress from,
            int tag,
            int messageClass,
            int error,
            MemorySegment memory,
            long offset,
            long sizeBytes,
            long token) {}

    private final CoreBmi owner;
    private final String scheme;
    private final ReentrantLock earlyLock = new ReentrantLock();
    private final Queue<Early> early = new ArrayDeque<>();
    private volatile @Nullable Method method;

    HostBridge(CoreBmi owner, String scheme) {
        this.owner = owner;
        this.scheme = scheme;
    }

    /**
     * Ties the knot: a method is given this host before it exists, and its peers may send as soon
     * as it can be found, which is before its provider has returned it. What came until then is
     * handed over now, in its order.
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
        CoreOperation own = (CoreOperation) operation;
        CoreContext context = own.context;
        if (context == null) {
            return;
        }
        RoundCompletions round = owner.progress().round();
        if (round.isMine()) {
            round.add(context.queue(), own, error, sizeBytes);
        } else {
            context.queue().complete(own, error, sizeBytes);
        }
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

    /** Keeps a message until the method is known; if it is known by now, says so instead. */
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
        owner.store()
                .arrived(
                        receiver,
                        scheme,
                        from,
                        tag,
                        messageClass,
                        error,
                        memory,
                        offset,
                        sizeBytes,
                        token);
        if (owner.checkUnexpected()) {
            VarHandle.fullFence(); // who blocks enters first and then looks for messages
            owner.contexts().nudgeAll();
        }
    }

    @Override
    public void peerFailed(MethodAddress address, int error) {
        if (address.handle() instanceof CorePeer peer) {
            owner.peers().failed(peer, error);
        }
    }

    @Override
    public void wake() {
        owner.progress().wake();
    }

    @Override
    public Configuration configuration() {
        return owner.configuration();
    }

    @Override
    public Counters counters() {
        return owner.liveCounters();
    }

    @Override
    public <T> @Nullable T attachment(Class<T> type) {
        return type.cast(owner.settings().attachments().get(type));
    }
}
