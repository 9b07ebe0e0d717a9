package org.jbmi.zoid.client;

import org.jbmi.mempool.pool.PinnedPool;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zoid.common.SessionFailure;
import org.jbmi.zoid.common.SessionGuard;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * Unexpected messages whose sends are over once they are in the lane: the engine has said that it
 * keeps those that it cannot accept yet. They need no slot of an operation and no answer. The bytes
 * of a short message are in the lane. The bytes of a longer one are in an eager slot, which the
 * client lends to the server. Safe for use by any thread; the lock of the half guards what it
 * holds.
 */
final class KeptSends {
    /** Nothing was sent, since the lane is full. */
    private static final int NO_ROOM = Integer.MIN_VALUE;

    /** Something failed on the way. It may be sent, so it counts as sent, and the session ends. */
    private static final int FAILED = NO_ROOM + 1;

    private final ClientLink link;
    private final SessionGuard guard;
    private final ClientCounters counters;
    private final PinnedPool pool;
    private final long mostBytes;
    private final Runnable deferredWork;
    private final Message message = new Message();
    private boolean isAny;
    private @Nullable Throwable failure;
    private volatile boolean isEnded;

    /**
     * None so far.
     *
     * @param deferredWork does what messages of the engine have left to do; for a thread inside
     */
    KeptSends(
            ClientLink link,
            SessionGuard guard,
            ClientCounters counters,
            PinnedPool pool,
            MethodLimits limits,
            Runnable deferredWork) {
        this.link = link;
        this.guard = guard;
        this.counters = counters;
        this.pool = pool;
        long mostAtOnce = Math.max(ClientRequests.MAX_SHORT_BYTES, limits.eagerBytes());
        this.mostBytes = Math.min(mostAtOnce, limits.maxUnexpectedBytes());
        this.deferredWork = deferredWork;
    }

    /** Nothing is sent from now on: the session ends. */
    void end() {
        isEnded = true;
    }

    /**
     * Sends one. The caller holds no lock.
     *
     * @return as {@link Method#sendUnexpectedAtOnce}
     */
    long send(MemorySegment buffer, int tag, int messageClass) {
        long bytes = buffer.byteSize();
        if (bytes > mostBytes) {
            return Method.PENDING;
        }
        if (link.isCheckDue()) {
            checkHost();
        }
        int said =
                bytes <= ClientRequests.MAX_SHORT_BYTES
                        ? sendShort(buffer, tag, messageClass)
                        : sendLent(buffer, tag, messageClass);
        return isSent(said) ? bytes : Method.PENDING;
    }

    private static boolean isSent(int said) {
        return said != PeerChannel.NOT_SENT && said != NO_ROOM;
    }

    private int sendShort(MemorySegment buffer, int tag, int messageClass) {
        int said = sendShortNow(buffer, tag, messageClass);
        if (said == NO_ROOM && enterAndLookForRoom()) {
            said = sendShortNow(buffer, tag, messageClass);
        }
        return said;
    }

    private int sendShortNow(MemorySegment buffer, int tag, int messageClass) {
        if (!guard.enterLocked()) {
            return PeerChannel.NOT_SENT;
        }
        int said = PeerChannel.NOT_SENT;
        try {
            ClientRequests.sendKept(message, tag, messageClass, (int) buffer.byteSize());
            // NOT_SENT also if the program's memory cannot be read: a post with an operation finds
            // the reason.
            if (maySend() && copy(buffer, ClientRequests.NOT_EAGER)) {
                said = offer(ClientRequests.NOT_EAGER, buffer);
            }
        } finally {
            if (!isSent(said)) {
                guard.exitLocked();
            }
        }
        if (isSent(said)) {
            leave(said);
        }
        return said;
    }

    // The bytes are copied without the lock.
    private int sendLent(MemorySegment buffer, int tag, int messageClass) {
        if (!guard.enterLocked()) {
            return PeerChannel.NOT_SENT;
        }
        int slot = ClientRequests.NOT_EAGER;
        try {
            slot = maySend() ? link.takeSlotToLend() : slot;
        } finally {
            if (slot < 0) {
                guard.exitLocked();
            }
        }
        if (slot < 0) {
            return PeerChannel.NOT_SENT;
        }
        guard.unlock();
        int said = PeerChannel.NOT_SENT;
        try {
            if (copy(buffer, slot)) {
                said = lend(slot, buffer, tag, messageClass);
                if (said == NO_ROOM && lookForRoom()) {
                    said = lend(slot, buffer, tag, messageClass);
                }
            }
        } finally {
            if (!isSent(said)) {
                link.releaseEagerSlot(slot);
                guard.exit();
            }
        }
        if (isSent(said)) {
            leave(said);
        }
        return said;
    }

    // Keeps the lock if it was sent.
    private int lend(int slot, MemorySegment buffer, int tag, int messageClass) {
        guard.lock();
        int said = PeerChannel.NOT_SENT;
        try {
            if (maySend()) {
                int bytes = (int) buffer.byteSize();
                ClientRequests.sendLent(message, slot, tag, messageClass, bytes);
                said = offer(slot, buffer);
            }
            return said;
        } finally {
            if (!isSent(said)) {
                guard.unlock();
            }
        }
    }

    // With the lock held. Unlike an operation, such a send does not become pending. So it need not
    // look whether a thread waits, or whether work is deferred.
    private boolean maySend() {
        return !isEnded && link.keeps() == SessionArea.KEEPS_ALL;
    }

    // With the lock held.
    private int offer(int slot, MemorySegment buffer) {
        try {
            int said = slot >= 0 ? link.tryLend(slot, message) : link.tryNote(message);
            if (said == PeerChannel.NOT_SENT) {
                return NO_ROOM;
            }
            isAny = true;
            counters.post(OperationKind.SEND_UNEXPECTED);
            counters.copied(buffer.byteSize());
            counters.aligned(buffer);
            return said;
        } catch (RuntimeException | Error e) {
            isEnded = true;
            failure = e;
            return FAILED;
        }
    }

    /**
     * Leaves the session after something was sent, with the lock held; wakes the engine if it must.
     * It is sent whatever becomes of that: a failure ends the session, not the caller.
     */
    void leave(int said) {
        Throwable cause = failure;
        if (said == FAILED && cause != null) {
            leave(cause);
        } else if (said == ClientLink.WAKE) {
            guard.unlock();
            try {
                link.wakeEngine();
            } catch (RuntimeException | Error e) {
                SessionFailure.end(link, e);
            } finally {
                guard.exit();
            }
        } else {
            guard.exitLocked();
        }
    }

    /** Leaves the session after something was perhaps sent, with the lock held; it ends. */
    void leave(Throwable cause) {
        guard.unlock();
        try {
            SessionFailure.end(link, cause);
        } finally {
            guard.exit();
        }
    }

    private boolean enterAndLookForRoom() {
        if (!guard.enter()) {
            return false;
        }
        try {
            return lookForRoom();
        } finally {
            guard.exit();
        }
    }

    // An operation would wait for room as well, and then for an answer of its own. For a thread
    // inside.
    private boolean lookForRoom() {
        try {
            boolean hasRoom = link.lookForRoom();
            deferredWork.run();
            return hasRoom;
        } catch (Error e) {
            SessionFailure.endOrThrow(link, e);
            return false;
        }
    }

    // A program that only sends would notice the end of the host when its lane is full.
    private void checkHost() {
        if (guard.enter()) {
            try {
                link.checkHost();
            } catch (Error e) {
                SessionFailure.endOrThrow(link, e);
            } finally {
                guard.exit();
            }
        }
    }

    // Into a slot, or into the message, for which the lock is held. False if the program's memory
    // cannot be read.
    private boolean copy(MemorySegment buffer, int slot) {
        try {
            if (!pool.pin(buffer)) {
                return false;
            }
            try {
                if (slot >= 0) {
                    link.putEager(slot, 0, buffer, 0, (int) buffer.byteSize());
                } else {
                    message.putBytes(buffer);
                }
                return true;
            } finally {
                pool.unpin(buffer);
            }
        } catch (RuntimeException | InternalError | OutOfMemoryError e) {
            return false;
        }
    }

    /** Whether any was sent. */
    boolean isAny() {
        guard.lock();
        boolean isOne = isAny;
        guard.unlock();
        return isOne;
    }
}
