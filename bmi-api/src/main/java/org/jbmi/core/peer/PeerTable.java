package org.jbmi.core.peer;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.core.events.ConnectEvent;
import org.jbmi.core.events.CoreEvents;
import org.jbmi.core.waiting.Arguments;
import org.jbmi.core.waiting.Progress;
import org.jbmi.spi.HashMaps;
import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.NumberTable;
import org.jbmi.spi.SpinLock;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The peers of an instance. Equal strings give one handle, and references are counted. A peer that
 * is known as a sender only is removed when its address has failed. It is also removed when the
 * program releases its last reference and the method can spare it. Both wait until its last message
 * is freed. The lock also guards the store of unexpected messages.
 */
public final class PeerTable {
    private final CoreEvents events;
    private final Progress progress;
    private final Consumer<CorePeer> operationsEnd;
    private final boolean automaticReferences;
    private final SpinLock lock = new SpinLock();
    private final Map<String, CorePeer> byString = HashMaps.prepared(new HashMap<>());
    private final NumberTable<CorePeer> byId = new NumberTable<>();
    private long lastId;

    /** The peers that are being removed, whose addresses their methods may forget. */
    private final IntrusiveList<CorePeer> leaving = new IntrusiveList<>();

    /** Such removals that have ended; written under the lock. */
    private volatile long drops;

    /**
     * A table without peers.
     *
     * @param operationsEnd cancels the operations of a peer that the program dropped
     * @param automaticReferences whether each delivered unexpected message adds a reference to its
     *     sender
     */
    public PeerTable(
            CoreEvents events,
            Progress progress,
            Consumer<CorePeer> operationsEnd,
            boolean automaticReferences) {
        this.events = events;
        this.progress = progress;
        this.operationsEnd = operationsEnd;
        this.automaticReferences = automaticReferences;
    }

    /** Checks that a handle was made here; it may have been dropped. */
    public CorePeer check(PeerAddress peer) {
        if (peer instanceof CorePeer own && own.table == this) {
            return own;
        }
        throw new BmiException(
                ErrorCode.EPROTO,
                "The peer "
                        + peer.displayName()
                        + " belongs to another instance; look up its address in this one.");
    }

    /** Checks a handle for calls that need it alive. */
    public CorePeer checkAlive(PeerAddress peer) {
        CorePeer own = check(peer);
        if (own.dropped) {
            throw forgotten(own);
        }
        return own;
    }

    private static BmiException forgotten(CorePeer peer) {
        return Arguments.invalid(
                "The peer " + peer.displayName() + " was removed; look up its address again.");
    }

    /** Peers that are known and not dropped. */
    public int size() {
        lock.lock();
        int size = byId.size();
        lock.unlock();
        return size;
    }

    public @Nullable CorePeer find(String string) {
        lock.lock();
        try {
            return byString.get(string);
        } finally {
            lock.unlock();
        }
    }

    public @Nullable CorePeer find(long id) {
        lock.lock();
        try {
            return byId.get(id);
        } finally {
            lock.unlock();
        }
    }

    /** A number for {@link #addLookedUp}, to be read before the method is asked. */
    public long drops() {
        return drops;
    }

    /**
     * Adds a looked-up peer, or returns the one that another thread added meanwhile.
     *
     * @param dropsBefore the number of drops before the method gave the address
     * @return null if a drop of the same address runs, or ended since then: the method may have
     *     forgotten the address and must be asked again
     */
    public @Nullable CorePeer addLookedUp(
            String string, Method method, MethodAddress address, String scheme, long dropsBefore) {
        lock.lock();
        try {
            CorePeer before = byString.get(string);
            if (before != null) {
                return before;
            }
            if (address.lastDrop() > dropsBefore || isLeaving(address)) {
                return null;
            }
            CorePeer peer = new CorePeer(this, method, address, scheme, ++lastId, string);
            boolean added = false;
            try {
                byId.put(peer.id, peer);
                byString.put(string, peer);
                added = true;
            } finally {
                if (!added) { // no memory for a longer table
                    byId.remove(peer.id);
                    byString.remove(string, peer);
                }
            }
            link(peer);
            return peer;
        } finally {
            lock.unlock();
        }
    }

    private boolean isLeaving(MethodAddress address) {
        for (CorePeer peer = leaving.first(); peer != null; peer = leaving.next(peer)) {
            if (peer.address.equals(address)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Makes a peer the handle of its address, or the next alias of the handle. If the address has
     * failed, posts to the peer are refused as those to the handle are.
     */
    private static void link(CorePeer peer) {
        CorePeer first = handle(peer.address);
        if (first == null) {
            peer.address.handle(peer);
            return;
        }
        peer.refusal = first.refusal;
        peer.alias = first.alias;
        first.alias = peer;
    }

    private static void unlink(CorePeer peer) {
        CorePeer before = handle(peer.address);
        if (before == peer) {
            peer.address.handle(peer.alias);
        }
        while (before != null) {
            if (before.alias == peer) {
                before.alias = peer.alias;
            }
            before = before.alias;
        }
        peer.alias = null;
    }

    private static @Nullable CorePeer handle(MethodAddress address) {
        return (CorePeer) address.handle();
    }

    /** The lock of this table, which the store of unexpected messages shares. */
    public SpinLock lock() {
        return lock;
    }

    /**
     * Finds or adds the handle of a sender. Called under the lock. If there is no memory for the
     * message then, the handle stays: the next message of the sender uses it, and {@link #failed}
     * removes it.
     */
    public CorePeer sender(Method method, MethodAddress address, String scheme) {
        CorePeer peer = handle(address);
        if (peer == null) {
            peer = new CorePeer(this, method, address, scheme, ++lastId, null);
            byId.put(peer.id, peer);
            address.handle(peer);
            met(peer);
        }
        return peer;
    }

    private void met(CorePeer peer) {
        ConnectEvent event = events.beginConnect();
        if (event != null) {
            events.endConnect(event, peer, true);
        }
    }

    /** Allocates memory of the peer's method; null if there is none. */
    @Nullable MemorySegment allocate(CorePeer peer, long sizeBytes) {
        progress.checkOpen();
        if (sizeBytes < 0 || peer.dropped) {
            return null;
        }
        MemorySegment memory = peer.method.memalloc(sizeBytes);
        if (memory == null) {
            events.exhausted("memory", peer.scheme, sizeBytes);
        }
        return memory;
    }

    boolean isInRange(CorePeer peer, String pattern, int prefixLength) {
        progress.checkOpen();
        checkAlive(peer);
        return peer.method.inAddressRange(peer.address, pattern, prefixLength);
    }

    /** Counts a message of the peer that arrived. Called under the lock. */
    public void messageArrived(CorePeer peer) {
        peer.messages++;
    }

    /** Counts a message of the peer that the program got. Called under the lock. */
    public void messageDelivered(CorePeer peer) {
        if (automaticReferences) {
            peer.references++;
        }
    }

    /** A message was not delivered after all. Called under the lock. */
    public void messageReturned(CorePeer peer) {
        if (automaticReferences) {
            peer.references--;
        }
    }

    /**
     * Counts a message that the program freed. Called under the lock.
     *
     * @return whether to {@link #drop} the peer
     */
    public boolean messageFreed(CorePeer peer) {
        peer.messages--;
        return peer.unwanted && isDroppable(peer);
    }

    void retain(CorePeer peer) {
        lock.lock();
        try {
            if (peer.dropped) {
                throw forgotten(peer);
            }
            peer.references++;
        } finally {
            lock.unlock();
        }
    }

    void release(CorePeer peer) {
        boolean last;
        lock.lock();
        try {
            if (peer.dropped) {
                throw forgotten(peer);
            }
            if (peer.references == 0) {
                throw Arguments.invalid(
                        "The peer "
                                + peer.displayName()
                                + " has no reference to release; retain it first.");
            }
            last = --peer.references == 0;
        } finally {
            lock.unlock();
        }
        if (last && peer.lookedUp == null && peer.method.mayDrop(peer.address)) {
            unwanted(peer);
        }
    }

    /** Removes a peer as soon as nothing refers to it. */
    private void unwanted(CorePeer peer) {
        lock.lock();
        peer.unwanted = true;
        lock.unlock();
        drop(peer);
    }

    /**
     * The peer of an address has failed for good. Posts are refused under all its handles. A sender
     * is removed when nothing refers to it.
     */
    public void failed(MethodAddress address, int error) {
        CorePeer first;
        lock.lock();
        try {
            first = handle(address);
            for (CorePeer peer = first; peer != null; peer = peer.alias) {
                peer.unwanted = true;
                if (peer.refusal == 0) {
                    peer.refusal = error;
                }
            }
        } finally {
            lock.unlock();
        }
        if (first != null) {
            drop(first); // the others were looked up
        }
    }

    /** Removes a peer whatever its count, and cancels its operations. */
    void forceDrop(CorePeer peer) {
        if (!forget(peer, true)) {
            throw forgotten(peer);
        }
        try {
            peer.method.disconnect(peer.address);
        } finally {
            try {
                endOperations(peer);
            } finally {
                hasLeft(peer);
            }
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    private void hasLeft(CorePeer peer) {
        lock.lock();
        peer.address.lastDrop(++drops);
        leaving.remove(peer);
        lock.unlock();
    }

    private void endOperations(CorePeer peer) {
        try {
            operationsEnd.accept(peer);
        } finally {
            peer.method.dropped(peer.address); // its last call for the peer, whatever failed
        }
    }

    private static boolean isDroppable(CorePeer peer) {
        return peer.references == 0 && peer.messages == 0 && peer.lookedUp == null && !peer.dropped;
    }

    /** Removes a peer that is not needed, unless it is in use again. */
    public void drop(CorePeer peer) {
        if (forget(peer, false)) {
            try {
                peer.method.dropped(peer.address);
            } finally {
                hasLeft(peer);
            }
        }
    }

    /**
     * Removes a peer from the tables; posts to it are refused from here on. It needs no memory: a
     * reference that was given back cannot be given back again.
     */
    private boolean forget(CorePeer peer, boolean forced) {
        lock.lock();
        try {
            if (peer.dropped || (!forced && !isDroppable(peer))) {
                return false;
            }
            leaving.addLast(peer);
            peer.dropped = true;
            peer.refusal = ErrorCode.EPROTO.negativeValue();
            byId.remove(peer.id);
            if (peer.lookedUp != null) {
                byString.remove(peer.lookedUp, peer);
            }
            unlink(peer);
            return true;
        } finally {
            lock.unlock();
        }
    }
}
