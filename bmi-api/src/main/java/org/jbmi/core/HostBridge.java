package org.jbmi.core;

import org.jbmi.config.Configuration;
import org.jbmi.observe.Counters;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.Operation;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/** What one method sees of the core. */
final class HostBridge implements MethodHost {
    private final CoreBmi owner;
    private final String scheme;
    private volatile @Nullable Method method;

    HostBridge(CoreBmi owner, String scheme) {
        this.owner = owner;
        this.scheme = scheme;
    }

    /** Ties the knot: the method exists only after it was given this host. */
    void opened(Method newMethod) {
        method = newMethod;
    }

    @Override
    public void complete(Operation operation, int error, long sizeBytes) {
        CoreOperation own = (CoreOperation) operation;
        CoreContext context = own.context;
        if (context != null) {
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
        Method sender = method;
        if (sender == null) {
            throw new IllegalStateException("A method delivers before it is open.");
        }
        CorePeer peer = owner.peers().messageArrived(sender, from, scheme);
        owner.store().arrived(peer, tag, messageClass, error, memory, offset, sizeBytes, token);
        if (owner.checkUnexpected()) {
            owner.contexts().nudgeAll();
        }
    }

    @Override
    public void peerFailed(MethodAddress address, int error) {
        if (address.handle() instanceof CorePeer peer) {
            owner.peers().unwanted(peer);
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
