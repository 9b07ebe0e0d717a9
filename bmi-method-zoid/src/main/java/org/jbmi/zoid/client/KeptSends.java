package org.jbmi.zoid.client;

import org.jbmi.spi.Method;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zoid.common.SessionFailure;
import org.jbmi.zoid.common.SessionGuard;

import java.lang.foreign.MemorySegment;

/**
 * Short unexpected messages whose sends are over once they are in the lane: the engine has said
 * that it keeps them. They need no slot and no answer. Safe for use by any thread; the lock of the
 * half guards what it holds.
 */
final class KeptSends {
    /** {@link #trySend}: the lane is full. */
    private static final int NO_ROOM = Integer.MIN_VALUE;

    private final ClientLink link;
    private final SessionGuard guard;
    private final ClientNotes notes;
    private final ClientCounters counters;
    private final ClientMemory memory;
    private final Runnable deferredWork;
    private final Message message = new Message();
    private boolean isAny;
    private volatile boolean isEnded;

    /**
     * None so far.
     *
     * @param deferredWork does what messages of the engine have left to do; for a thread inside
     */
    KeptSends(
            ClientLink link,
            SessionGuard guard,
            ClientNotes notes,
            ClientCounters counters,
            ClientMemory memory,
            Runnable deferredWork) {
        this.link = link;
        this.guard = guard;
        this.notes = notes;
        this.counters = counters;
        this.memory = memory;
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
        if (link.keeps() != SessionArea.KEEPS_ALL) {
            return Method.PENDING;
        }
        if (link.isCheckDue()) {
            checkHost();
        }
        int said = sendNow(buffer, tag, messageClass);
        if (said == NO_ROOM && lookForRoom()) {
            said = sendNow(buffer, tag, messageClass);
        }
        return isSent(said) ? buffer.byteSize() : Method.PENDING;
    }

    private static boolean isSent(int said) {
        return said != PeerChannel.NOT_SENT && said != NO_ROOM;
    }

    private int sendNow(MemorySegment buffer, int tag, int messageClass) {
        if (!guard.enterLocked()) {
            return PeerChannel.NOT_SENT;
        }
        int said = PeerChannel.NOT_SENT;
        try {
            // Waiting threads and deferred work do not matter, since nothing becomes pending.
            said = isEnded ? said : trySend(buffer, tag, messageClass);
        } finally {
            if (!isSent(said)) {
                guard.exitLocked();
            }
        }
        if (isSent(said)) {
            notes.leave(guard, said);
        }
        return said;
    }

    // An operation would wait for room as well, and then for an answer of its own.
    private boolean lookForRoom() {
        if (!guard.enter()) {
            return false;
        }
        try {
            boolean hasRoom = link.lookForRoom();
            deferredWork.run();
            return hasRoom;
        } catch (Error e) {
            SessionFailure.endOrThrow(link, e);
            return false;
        } finally {
            guard.exit();
        }
    }

    // A program that only sends would notice the end of the host when its lane is full.
    private void checkHost() {
        if (guard.enter()) {
            try {
                link.checkHost();
            } finally {
                guard.exit();
            }
        }
    }

    // With the lock held. NOT_SENT also if the program's memory cannot be read.
    private int trySend(MemorySegment buffer, int tag, int messageClass) {
        boolean isShort = buffer.byteSize() <= ClientRequests.MAX_SHORT_BYTES;
        if (!isShort
                || link.keeps() != SessionArea.KEEPS_ALL
                || !encode(buffer, tag, messageClass)) {
            return PeerChannel.NOT_SENT; // a post with an operation finds the reason
        }
        int said = link.tryNote(message);
        if (said == PeerChannel.NOT_SENT) {
            return NO_ROOM;
        }
        isAny = true;
        counters.post(OperationKind.SEND_UNEXPECTED);
        counters.copied(buffer.byteSize());
        counters.aligned(buffer);
        return said;
    }

    private boolean encode(MemorySegment buffer, int tag, int messageClass) {
        try {
            if (!memory.pin(buffer)) {
                return false;
            }
            try {
                ClientRequests.sendKept(message, tag, messageClass, (int) buffer.byteSize());
                ClientCopies.putWords(buffer, message);
                return true;
            } finally {
                memory.unpin(buffer);
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
