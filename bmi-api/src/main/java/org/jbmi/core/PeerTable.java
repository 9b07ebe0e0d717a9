package org.jbmi.core;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The peers of an instance: equal strings give one handle, references are counted, and a peer that
 * was met as a sender is forgotten when nobody refers to it and no message of it waits.
 */
final class PeerTable {
    private final CoreBmi owner;
    private final boolean automaticReferences;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, CorePeer> byString = new HashMap<>();
    private long lastId;
    private int known;

    PeerTable(CoreBmi owner, boolean automaticReferences) {
        this.owner = owner;
        this.automaticReferences = automaticReferences;
    }

    /** Checks that a handle was made here; it may have been dropped. */
    CorePeer check(PeerAddress peer) {
        if (peer instanceof CorePeer own && own.owner == owner) {
            return own;
        }
        throw new BmiException(
                ErrorCode.EPROTO,
                "The peer " + peer.displayName() + " does not belong to this instance.");
    }

    /** Checks a handle for calls that need it alive. */
    CorePeer checkAlive(PeerAddress peer) {
        CorePeer own = check(peer);
        if (own.dropped) {
            throw new BmiException(
                    ErrorCode.EINVAL, "The peer " + own.displayName() + " was forgotten.");
        }
        return own;
    }

    /** Peers that are known and not dropped. */
    int size() {
        lock.lock();
        try {
            return known;
        } finally {
            lock.unlock();
        }
    }

    @Nullable CorePeer find(String string) {
        lock.lock();
        try {
            return byString.get(string);
        } finally {
            lock.unlock();
        }
    }

    /** Adds a looked-up peer, or gives the one that another thread added meanwhile. */
    CorePeer addLookedUp(String string, Method method, MethodAddress address, String scheme) {
        lock.lock();
        try {
            CorePeer before = byString.get(string);
            if (before != null) {
                return before;
            }
            CorePeer peer = new CorePeer(owner, method, address, scheme, ++lastId, string);
            byString.put(string, peer);
            known++;
            if (address.handle() == null) {
                address.handle(peer);
            }
            return peer;
        } finally {
            lock.unlock();
        }
    }

    /** Finds or makes the handle of a sender, and counts one more of its messages. */
    CorePeer messageArrived(Method method, MethodAddress address, String scheme) {
        lock.lock();
        try {
            CorePeer peer = address.handle() instanceof CorePeer known ? known : null;
            if (peer == null || peer.dropped) {
                peer = new CorePeer(owner, method, address, scheme, ++lastId, null);
                address.handle(peer);
                known++;
            }
            peer.messages++;
            return peer;
        } finally {
            lock.unlock();
        }
    }

    /** A message of the peer went to the program. */
    void messageDelivered(CorePeer peer) {
        if (automaticReferences) {
            retain(peer);
        }
    }

    /** The program gave the memory of a message back. */
    void messageFreed(CorePeer peer) {
        boolean drop;
        lock.lock();
        try {
            peer.messages--;
            drop = peer.unwanted && isDroppable(peer);
        } finally {
            lock.unlock();
        }
        if (drop) {
            drop(peer, false);
        }
    }

    void retain(CorePeer peer) {
        lock.lock();
        try {
            peer.references++;
        } finally {
            lock.unlock();
        }
    }

    void release(CorePeer peer) {
        lock.lock();
        try {
            if (peer.references == 0) {
                throw new BmiException(
                        ErrorCode.EINVAL,
                        "There is no reference to " + peer.displayName() + " to give back.");
            }
            peer.references--;
        } finally {
            lock.unlock();
        }
        if (peer.lookedUp == null && peer.method.mayDrop(peer.address)) {
            unwanted(peer);
        }
    }

    /**
     * Nobody needs the peer, or it is gone for good: it is forgotten as soon as nothing refers to
     * it.
     */
    void unwanted(CorePeer peer) {
        boolean drop;
        lock.lock();
        try {
            peer.unwanted = true;
            drop = isDroppable(peer);
        } finally {
            lock.unlock();
        }
        if (drop) {
            drop(peer, false);
        }
    }

    /** Forgets a peer whatever its count; a looked-up one too. */
    void forceDrop(CorePeer peer) {
        drop(peer, true);
    }

    private static boolean isDroppable(CorePeer peer) {
        return peer.references == 0 && peer.messages == 0 && peer.lookedUp == null && !peer.dropped;
    }

    private void drop(CorePeer peer, boolean forced) {
        lock.lock();
        try {
            if (peer.dropped || (!forced && !isDroppable(peer))) {
                return;
            }
            peer.dropped = true;
            known--;
            if (peer.lookedUp != null) {
                byString.remove(peer.lookedUp, peer);
            }
            if (peer.address.handle() == peer) {
                peer.address.handle(null);
            }
        } finally {
            lock.unlock();
        }
        peer.method.dropped(peer.address);
    }
}
