package org.jbmi.tcp.peer;

import org.jbmi.ErrorCode;
import org.jbmi.spi.MatchTable;
import org.jbmi.spi.Operation;
import org.jbmi.spi.Payloads;
import org.jbmi.tcp.memory.PeerMemory;
import org.jbmi.tcp.settings.TcpCodes;
import org.jbmi.tcp.wire.WireMode;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * Finds the place of an arriving message: a receive, the memory for unexpected or early messages,
 * or none. Called by the lead only.
 */
final class Arrivals {
    private final TcpState state;
    private final Endings endings;

    Arrivals(TcpState state, Endings endings) {
        this.state = state;
        this.endings = endings;
    }

    /**
     * Finds the place for a message; false if there is none now.
     *
     * @param mayWait whether a message for which no receive is posted may be left until the lead's
     *     next round
     */
    boolean place(Connection connection, boolean mayWait) {
        Incoming incoming = connection.incoming;
        long sizeBytes = incoming.header.sizeBytes;
        if (incoming.header.mode == WireMode.UNEXPECTED) {
            return placeUnexpected(connection, sizeBytes);
        }
        synchronized (state.lock) {
            if (connection.inOperation != null) { // posted while the message was parked
                connection.touching = true;
                state.unstall(connection);
                return true;
            }
            TcpPeer peer = connection.peer;
            Operation receive = takeWaiting(peer, incoming.header.tag);
            if (receive != null) {
                assign(connection, receive, sizeBytes);
            } else if (mayWait) {
                connection.parkedExpected = true;
                state.attend(connection);
                return false;
            } else if (!placeEarly(connection, peer, sizeBytes)) {
                connection.parkedExpected = true;
                state.stall(connection);
                return false;
            }
            connection.parkedExpected = false;
            state.unstall(connection);
            return true;
        }
    }

    /** Takes the oldest receive that waits for a message with a tag; under the lock. */
    private static @Nullable Operation takeWaiting(TcpPeer peer, int tag) {
        MatchTable.Entry entry = peer.table.find(0, tag);
        Operation receive = entry == null ? null : Operation.firstLive(entry.receives());
        if (entry != null && receive != null) {
            entry.receives().remove(receive);
            peer.table.recycleIfEmpty(entry);
        }
        return receive;
    }

    private void assign(Connection connection, Operation receive, long sizeBytes) {
        if (sizeBytes > receive.sizeBytes()) {
            state.counters.truncated.increment();
            state.complete(receive, TcpCodes.EMSGSIZE, 0);
            return; // the message is dropped
        }
        receive.methodState(TcpState.MOVING);
        receive.attachment(connection);
        connection.inOperation = receive;
        connection.touching = true;
    }

    private boolean placeEarly(Connection connection, TcpPeer peer, long sizeBytes) {
        EarlyMessage message = state.takeEarly(); // first, since it may need memory itself
        long token = state.early.allocate(peer.account, sizeBytes);
        boolean helps = token < 0 && state.early.mayHold(peer.account, sizeBytes);
        while (token < 0 && helps && endings.dropOldestLingering()) {
            token = state.early.allocate(peer.account, sizeBytes);
        }
        if (token < 0) {
            state.giveEarly(message);
            return false;
        }
        message.begin(connection.incoming.header.tag, sizeBytes, token, state.early.segment(token));
        connection.inEarly = message;
        return true;
    }

    private boolean placeUnexpected(Connection connection, long sizeBytes) {
        long token = state.unexpected.allocate(connection.peer.account, sizeBytes);
        connection.incoming.unexpectedToken = token;
        if (token >= 0) {
            connection.incoming.unexpectedMemory = state.unexpected.segment(token);
        }
        if (token < 0 || connection.stallPlace.isListed()) {
            synchronized (state.lock) {
                if (token < 0) {
                    state.stall(connection);
                } else {
                    state.unstall(connection);
                }
            }
        }
        return token >= 0;
    }

    /** Copies a part of a message to its place. */
    void store(Connection connection, MemorySegment from, long at, long length) {
        Incoming incoming = connection.incoming;
        EarlyMessage early = connection.inEarly;
        Operation operation = connection.inOperation;
        if (length == 0) {
            return;
        }
        if (incoming.unexpectedToken >= 0) {
            long to = PeerMemory.offset(incoming.unexpectedToken) + incoming.bodyDone;
            MemorySegment.copy(from, at, incoming.unexpectedMemory, to, length);
        } else if (operation != null) {
            try {
                Payloads.scatter(from, at, length, operation, incoming.bodyDone);
            } catch (RuntimeException | InternalError | OutOfMemoryError e) {
                abandon(connection);
            }
        } else if (early != null) {
            long to = early.offset + incoming.bodyDone;
            MemorySegment.copy(from, at, early.memory, to, length);
        } else {
            state.counters.drainedBytes.addBySingleWriter(length);
        }
    }

    /** A message is complete. */
    void finish(Connection connection) {
        if (connection.incoming.unexpectedToken >= 0) {
            deliver(connection);
        } else if (connection.inOperation != null) {
            completeReceive(connection);
        } else if (connection.inEarly != null) {
            finishEarly(connection);
        }
    }

    private void deliver(Connection connection) {
        Incoming incoming = connection.incoming;
        long token = incoming.unexpectedToken;
        // If it fails, the message keeps its memory until the end of the connection frees it.
        state.host.deliverUnexpected(
                connection.peer,
                incoming.header.tag,
                incoming.header.messageClass,
                ErrorCode.SUCCESS,
                incoming.unexpectedMemory,
                PeerMemory.offset(token),
                incoming.header.sizeBytes,
                token);
        incoming.unexpectedToken = PeerMemory.NONE;
        state.counters.unexpectedAccepted.addBySingleWriter(1);
    }

    private void completeReceive(Connection connection) {
        synchronized (state.lock) {
            Operation receive = connection.inOperation;
            connection.inOperation = null;
            connection.touching = false;
            connection.inCancelCode = 0; // too late: the message has arrived
            if (receive != null) {
                state.complete(receive, 0, connection.incoming.header.sizeBytes);
            }
        }
    }

    /**
     * A message that had no receive when it began goes to its claimant. If that one has ended, or
     * two peers were merged, another receive may wait for it.
     */
    private void finishEarly(Connection connection) {
        EarlyMessage message;
        Operation claimant;
        synchronized (state.lock) {
            message = connection.inEarly;
            if (message == null) {
                return;
            }
            claimant = message.claimant;
            message.claimant = null;
            if (claimant == null) {
                claimant = takeWaiting(connection.peer, message.tag());
            }
            if (claimant == null) {
                TcpPeer peer = connection.peer;
                peer.table.findOrAdd(0, message.tag()).sends().addLast(message);
                peer.earlyCount++;
                connection.inEarly = null; // last: the end of the connection frees it otherwise
                return;
            }
            connection.inEarly = null;
            if (message.sizeBytes() > claimant.sizeBytes()) {
                state.counters.truncated.increment();
                state.complete(claimant, TcpCodes.EMSGSIZE, 0);
                state.freeEarly(message);
                return;
            }
            claimant.methodState(TcpState.COPYING);
        }
        state.deliver(message, claimant);
    }

    /** The memory of the receive is gone: drops the rest of its message. */
    void abandon(Connection connection) {
        synchronized (state.lock) {
            Operation operation = connection.inOperation;
            connection.inOperation = null;
            connection.touching = false;
            connection.inCancelCode = 0;
            if (operation != null) {
                state.complete(operation, TcpCodes.EFAULT, 0);
            }
        }
        connection.incoming.endWindow();
    }
}
