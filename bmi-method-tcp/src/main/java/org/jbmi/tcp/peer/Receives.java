package org.jbmi.tcp.peer;

import org.jbmi.CancelOutcome;
import org.jbmi.spi.MatchTable;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.tcp.settings.TcpCodes;
import org.jspecify.annotations.Nullable;

/**
 * The program's receives. A posted receive takes the first of these: a complete early message, a
 * message that is read without a receive, a message of a parked connection. Otherwise it waits.
 */
@SuppressWarnings("ReferenceEquality") // this very operation
final class Receives {
    private final TcpState state;
    private final Endings endings;
    private final Directory directory;

    Receives(TcpState state, Endings endings, Directory directory) {
        this.state = state;
        this.endings = endings;
        this.directory = directory;
    }

    long post(Operation receive, TcpPeer given) {
        EarlyMessage message;
        synchronized (state.lock) {
            if (state.closed) {
                return TcpCodes.ECANCEL;
            }
            TcpPeer peer = directory.targetForReceive(given);
            MatchTable.Entry entry = peer.table.find(0, receive.tag());
            message = entry == null ? null : (EarlyMessage) entry.sends().first();
            if (entry == null || message == null) {
                return wait(receive, peer, entry);
            }
            if (message.sizeBytes() > receive.sizeBytes()) {
                return TcpCodes.EPROTO;
            }
            entry.sends().remove(message);
            peer.table.recycleIfEmpty(entry);
            endings.earlyTaken(peer);
        }
        long sizeBytes = message.sizeBytes();
        int error;
        try {
            error = state.copyOut(message, receive);
        } finally {
            synchronized (state.lock) {
                state.freeEarly(message);
            }
        }
        return error != 0 ? error : sizeBytes;
    }

    private long wait(Operation receive, TcpPeer peer, MatchTable.@Nullable Entry entry) {
        if (entry == null || Operation.firstLive(entry.receives()) == null) {
            for (int i = 0; i < peer.connections.size(); i++) {
                long outcome = takeComing(receive, peer.connections.get(i));
                if (outcome != 0) {
                    return outcome;
                }
            }
        }
        if (peer.failure != 0 && peer.connections.isEmpty()) {
            return peer.failure;
        }
        receive.methodState(TcpState.POSTED);
        peer.table.findOrAdd(0, receive.tag()).receives().addLast(receive);
        return Method.PENDING;
    }

    /** Takes the message that a connection is reading; 0 if there is none for the receive. */
    private long takeComing(Operation receive, Connection connection) {
        EarlyMessage message = connection.inEarly;
        if (message != null && message.tag() == receive.tag() && message.claimant == null) {
            if (message.sizeBytes() > receive.sizeBytes()) {
                return TcpCodes.EPROTO;
            }
            message.claimant = receive;
            receive.methodState(TcpState.CLAIMED);
            receive.attachment(connection);
            return Method.PENDING;
        }
        if (connection.parkedExpected && connection.incoming.header.tag == receive.tag()) {
            if (connection.incoming.header.sizeBytes > receive.sizeBytes()) {
                return TcpCodes.EPROTO;
            }
            connection.parkedExpected = false;
            connection.inOperation = receive;
            receive.methodState(TcpState.MOVING);
            receive.attachment(connection);
            state.attend(connection);
            return Method.PENDING;
        }
        return 0;
    }

    CancelOutcome cancel(Operation receive, long id, int code) {
        synchronized (state.lock) {
            if (receive.id() != id || !(receive.addressOrNull() instanceof TcpPeer given)) {
                return CancelOutcome.ALREADY_DONE;
            }
            return switch (receive.methodState()) {
                case TcpState.POSTED -> cancelPosted(receive, given.target(), code);
                case TcpState.MOVING -> cancelMoving(receive, code);
                case TcpState.CLAIMED -> cancelClaimed(receive, code);
                case TcpState.COPYING -> CancelOutcome.REQUESTED;
                default -> CancelOutcome.ALREADY_DONE;
            };
        }
    }

    private CancelOutcome cancelPosted(Operation receive, TcpPeer peer, int code) {
        MatchTable.Entry entry = peer.table.find(0, receive.tag());
        if (entry == null || !entry.receives().remove(receive)) {
            return CancelOutcome.ALREADY_DONE;
        }
        peer.table.recycleIfEmpty(entry);
        state.complete(receive, code, 0);
        return CancelOutcome.CANCELLED;
    }

    /**
     * The rest of its message is dropped; the lead ends it if the lead may be writing into it at
     * this moment.
     */
    private CancelOutcome cancelMoving(Operation receive, int code) {
        if (!(receive.attachment() instanceof Connection connection)) {
            return CancelOutcome.ALREADY_DONE;
        }
        if (connection.touching) {
            connection.inCancelCode = code;
            return CancelOutcome.REQUESTED;
        }
        connection.inOperation = null;
        state.complete(receive, code, 0);
        return CancelOutcome.CANCELLED;
    }

    private CancelOutcome cancelClaimed(Operation receive, int code) {
        EarlyMessage message =
                receive.attachment() instanceof Connection connection ? connection.inEarly : null;
        if (message == null || message.claimant != receive) {
            return CancelOutcome.ALREADY_DONE;
        }
        message.claimant = null;
        state.complete(receive, code, 0);
        return CancelOutcome.CANCELLED;
    }
}
