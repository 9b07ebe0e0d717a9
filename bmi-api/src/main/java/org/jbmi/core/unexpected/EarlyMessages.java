package org.jbmi.core.unexpected;

import org.jbmi.ErrorCode;
import org.jbmi.core.peer.CorePeer;
import org.jbmi.core.peer.PeerTable;
import org.jbmi.spi.Failures;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a method that is being opened. No test call gets one, and no caller returns for
 * one, before all are taken up. If that fails, the method is closed, and their memory is gone with
 * it. One method is opened at a time.
 */
public final class EarlyMessages {
    private final UnexpectedStore store;

    /** What arrives meanwhile. The store looks at it only then: a message must cost no type. */
    final UnexpectedQueue queue;

    private final PeerTable peers;

    EarlyMessages(UnexpectedStore store, UnexpectedQueue queue, PeerTable peers) {
        this.store = store;
        this.queue = queue;
        this.peers = peers;
    }

    /** The messages of a method are kept here from now on, in order. */
    public void begin(Method method) {
        store.lock.lock();
        store.opening = method;
        store.lock.unlock();
    }

    /** Hands the messages to the queues that are theirs. Needs no memory. */
    public void admit() {
        store.lock.lock();
        try {
            store.opening = null;
            for (UnexpectedBuffer each = queue.poll(); each != null; each = queue.poll()) {
                store.admit(each);
            }
            store.mergeAllStaged();
        } finally {
            store.lock.unlock();
        }
        store.wakeContexts();
    }

    /**
     * Forgets the messages, and their senders. Needs no memory.
     *
     * @param cause why; it suppresses what fails here
     */
    public void discard(Throwable cause) {
        for (CorePeer sender = forgetFirst(); sender != null; sender = forgetFirst()) {
            forget(sender.address(), cause);
        }
    }

    /**
     * Forgets the sender of messages that are forgotten.
     *
     * @param cause why; it suppresses what fails here
     */
    public void forget(MethodAddress sender, Throwable cause) {
        try {
            peers.failed(sender, ErrorCode.ECANCEL.negativeValue());
        } catch (RuntimeException | Error e) {
            Failures.first(cause, e);
        }
    }

    private @Nullable CorePeer forgetFirst() {
        store.lock.lock();
        try {
            store.opening = null;
            UnexpectedBuffer first = queue.poll();
            if (first == null) {
                return null;
            }
            peers.messageFreed(first.peer);
            store.freeObjects.addFirst(first);
            return first.peer;
        } finally {
            store.lock.unlock();
        }
    }
}
