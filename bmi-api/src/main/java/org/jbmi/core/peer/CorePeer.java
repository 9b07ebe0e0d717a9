package org.jbmi.core.peer;

import org.jbmi.PeerAddress;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/** The program's handle of a peer. Counts are guarded by the peer table's lock. */
public final class CorePeer implements PeerAddress {
    final PeerTable table;
    final Method method;
    final MethodAddress address;
    final String scheme;
    final long id;

    /** The string it was looked up with, null for a peer that was met as a sender. */
    final @Nullable String lookedUp;

    int references;

    /** Unexpected messages of it that are not freed: it lives at least as long as they do. */
    int messages;

    /** Whether it goes as soon as nothing refers to it. */
    boolean unwanted;

    /** Whether it was forgotten. */
    volatile boolean dropped;

    /** The negative code that posts to it are refused with, 0 while it is in order. */
    volatile int refusal;

    public CorePeer(
            PeerTable table,
            Method method,
            MethodAddress address,
            String scheme,
            long id,
            @Nullable String lookedUp) {
        this.table = table;
        this.method = method;
        this.address = address;
        this.scheme = scheme;
        this.id = id;
        this.lookedUp = lookedUp;
    }

    public Method method() {
        return method;
    }

    /** The method's own record of it. */
    public MethodAddress address() {
        return address;
    }

    /** The string it was looked up with, null for a peer that was met as a sender. */
    public @Nullable String lookedUp() {
        return lookedUp;
    }

    /** Whether it was forgotten. */
    public boolean isDropped() {
        return dropped;
    }

    /** The negative code that posts to it are refused with, 0 while it is in order. */
    public int refusal() {
        return refusal;
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public String scheme() {
        return scheme;
    }

    @Override
    public String displayName() {
        if (lookedUp != null) {
            return lookedUp;
        }
        String name = address.displayName();
        return name.isEmpty() ? "UNKNOWN" : name;
    }

    @Override
    public void retain() {
        table.retain(this);
    }

    @Override
    public void release() {
        table.release(this);
    }

    @Override
    public void drop() {
        table.forceDrop(this);
    }

    @Override
    public boolean mayBeForgotten() {
        table.checkAlive(this);
        return method.mayDrop(address);
    }

    @Override
    public @Nullable MemorySegment allocate(long sizeBytes) {
        return table.allocate(this, sizeBytes);
    }

    @Override
    public boolean isPoolShared() {
        return method.isPoolShared();
    }

    @Override
    public boolean isInRange(String pattern, int prefixLength) {
        return table.isInRange(this, pattern, prefixLength);
    }

    @Override
    public String toString() {
        return displayName();
    }
}
