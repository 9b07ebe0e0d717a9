package org.jbmi.tcp.peer;

import org.jbmi.CancelOutcome;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.tcp.settings.TcpCodes;

/** The program's sends: posted, queued, cancelled. */
final class Sends {
    /** So many posts in a row are written at once; later ones are written together. */
    private static final int MAX_BURST = 2;

    /** The longest time between two posts of a burst. */
    private static final long BURST_GAP_NS = 2_000;

    /** When so many small sends wait to be written together, they are written at once. */
    private static final int CORKED = 48;

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
        Dial dial = null;
        boolean corkedOne = false;
        synchronized (state.lock) {
            if (state.closed) {
                return TcpCodes.ECANCEL;
            }
            TcpPeer peer = directory.targetForSend(given);
            if (peer.failure != 0) {
                return peer.failure;
            }
            connection = peer.out;
            if (connection == null && !peer.dialing) {
                if (peer.endpoints.getFirst().port() == 0) {
                    return TcpCodes.EINVAL;
                }
                dial = dialer.begin(peer);
                queue(send, peer);
            } else if (connection == null || isBusy(connection)) {
                queue(send, peer);
                return Method.PENDING;
            } else if (connection.corked || !peer.sends.isEmpty() || isBurst(connection, send)) {
                queue(send, peer);
                if (!isBatchFull(connection, send)) {
                    state.attend(connection);
                    return Method.PENDING;
                }
                connection.writing = true;
                corkedOne = true;
            } else {
                connection.outgoing.batch = state.takeBatch();
                if (connection.outgoing.batch == null) {
                    if (!state.awaitBatch(connection)) {
                        return TcpCodes.ENOMEM;
                    }
                    queue(send, peer);
                    return Method.PENDING;
                }
                connection.writing = true;
            }
        }
        if (connection == null) {
            if (dial != null) {
                dialer.start(dial);
            }
            return Method.PENDING;
        }
        if (corkedOne) {
            writer.pump(connection);
            return Method.PENDING;
        }
        long result = writer.first(connection, send);
        connection.lastPostNs = System.nanoTime();
        return result;
    }

    private static boolean isBusy(Connection connection) {
        return !connection.established
                || connection.writing
                || connection.blocked
                || connection.writeError != 0;
    }

    /**
     * Whether small sends are posted in a row without a test call. The first ones are written at
     * once, since more may not come. The others are written together: when there are enough, at the
     * next test call, or a moment later.
     */
    private boolean isBurst(Connection connection, Operation send) {
        int round = state.progressRounds;
        long gapNs = System.nanoTime() - connection.lastPostNs;
        if (connection.burstRound != round || gapNs > BURST_GAP_NS) {
            connection.burstRound = round;
            connection.burst = 0;
        }
        return ++connection.burst > MAX_BURST && send.sizeBytes() <= Writer.COPY_BYTES;
    }

    private boolean isBatchFull(Connection connection, Operation send) {
        writer.cork(connection);
        connection.corkedCount++;
        connection.corkedBytes += send.sizeBytes() + state.settings.dialect.headerBytes();
        return connection.corkedCount >= CORKED
                || connection.corkedBytes >= state.settings.batchBytes;
    }

    private static void queue(Operation send, TcpPeer peer) {
        send.methodState(TcpState.QUEUED);
        peer.sends.addLast(send);
    }

    CancelOutcome cancel(Operation send, long id, int code) {
        Connection connection;
        synchronized (state.lock) {
            if (send.id() != id || !(send.addressOrNull() instanceof TcpPeer given)) {
                return CancelOutcome.ALREADY_DONE;
            }
            switch (send.methodState()) {
                case TcpState.QUEUED -> {
                    TcpPeer peer = given.target();
                    peer.sends.remove(send);
                    state.complete(send, code, 0);
                    if (peer.awaitsMerge) {
                        directory.sendsHaveLeft(peer); // perhaps no write follows
                    }
                    return CancelOutcome.CANCELLED;
                }
                case TcpState.STARTED -> {
                    if (!(send.attachment() instanceof Connection its)) {
                        return CancelOutcome.ALREADY_DONE;
                    }
                    connection = its;
                    if (connection.writeError != 0 || connection.forcedCode != 0) {
                        return CancelOutcome.REQUESTED; // the lead is about to report its outcome
                    }
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
