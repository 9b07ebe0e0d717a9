package org.jbmi.tcp;

import org.jbmi.CancelOutcome;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;

/** The sends of the program: posted, queued behind others, cancelled. */
final class Sends {
    private final TcpState state;
    private final Directory directory;
    private final Writer writer;
    private final Dialer dialer;

    Sends(TcpState state, Directory directory, Writer writer, Dialer dialer) {
        this.state = state;
        this.directory = directory;
        this.writer = writer;
        this.dialer = dialer;
    }

    long post(Operation send, TcpPeer given) {
        Connection connection;
        TcpPeer peer;
        synchronized (state.lock) {
            if (state.closed) {
                return TcpCodes.ECANCEL;
            }
            peer = directory.targetForSend(given);
            if (peer.failure != 0) {
                return peer.failure;
            }
            connection = peer.out;
            if (connection == null && !peer.dialing) {
                if (peer.endpoints.getFirst().port() == 0) {
                    return TcpCodes.EINVAL;
                }
                peer.dialing = true;
                queue(send, peer);
            } else if (connection == null || isBusy(connection, peer)) {
                queue(send, peer);
                return Method.PENDING;
            } else {
                connection.writing = true;
                connection.batch = state.takeBatch();
            }
        }
        if (connection == null) {
            dialer.start(peer);
            return Method.PENDING;
        }
        return writer.first(connection, send);
    }

    private static boolean isBusy(Connection connection, TcpPeer peer) {
        return !connection.established
                || connection.writing
                || connection.blocked
                || !peer.sends.isEmpty();
    }

    private static void queue(Operation send, TcpPeer peer) {
        send.methodState(TcpState.QUEUED);
        peer.sends.add(send);
    }

    CancelOutcome cancel(Operation send, long id, int code) {
        Connection connection;
        synchronized (state.lock) {
            if (send.id() != id || !(send.addressOrNull() instanceof TcpPeer given)) {
                return CancelOutcome.ALREADY_DONE;
            }
            switch (send.methodState()) {
                case TcpState.QUEUED -> {
                    given.target().sends.remove(send);
                    state.complete(send, code, 0);
                    return CancelOutcome.CANCELLED;
                }
                case TcpState.STARTED -> {
                    if (!(send.attachment() instanceof Connection its)) {
                        return CancelOutcome.ALREADY_DONE;
                    }
                    connection = its;
                    send.word2(code);
                    send.methodState(TcpState.STARTED_CANCELLED);
                    connection.flagged++;
                    if (connection.writing) {
                        return CancelOutcome.REQUESTED;
                    }
                    connection.writing = true;
                }
                case TcpState.STARTED_CANCELLED -> {
                    return CancelOutcome.REQUESTED;
                }
                default -> {
                    return CancelOutcome.ALREADY_DONE;
                }
            }
        }
        writer.cancelStarted(connection, send);
        return CancelOutcome.REQUESTED;
    }
}
