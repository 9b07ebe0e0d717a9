package org.jbmi.core.peer;

import org.jbmi.PeerAddress;
import org.jbmi.spi.LinkedNode;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * The program's handle of a peer. The peer table's lock guards the counts. It is a node of the list
 * of those that are being removed.
 */
public final class CorePeer extends LinkedNode implements PeerAddress {
    final PeerTable table;
    final Method method;
    final MethodAddress address;
    final String scheme;
    final long id;

    /** The string of the look-up; null for a peer that is known as a sender only. */
    final @Nullable String lookedUp;

    /**
     * The next peer that was looked up under another string and has the same address; null for
     * none. The address has the first one as its handle.
     */
    @Nullable CorePeer alias;

    int references;

    /** Its unexpected messages that are not freed; the handle stays while there are any. */
    int messages;

    /** Whether it is removed as soon as nothing refers to it; one that was looked up stays. */
    boolean unwanted;

    /** Whether it was removed. */
    volatile boolean dropped;

    /** The negative code that posts to it fail with; 0 while it can be used. */
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

    /** The method's own object for it. */
    public MethodAddress address() {
        return address;
    }

    /** The string of the look-up; null for a peer that is known as a sender only. */
    public @Nullable String lookedUp() {
        return lookedUp;
    }

    /** Whether it was removed. */
    public boolean isDropped() {
        return dropped;
    }

    /** The negative code that posts to it fail with; 0 while it can be used. */
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
    public boolean isOwnUser() {
        return address.isOwnUser();
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
