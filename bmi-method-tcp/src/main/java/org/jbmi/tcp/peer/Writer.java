package org.jbmi.tcp.peer;

import org.jbmi.ErrorCode;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.tcp.io.BatchBuffer;
import org.jbmi.tcp.io.Rest;
import org.jbmi.tcp.io.Sockets;
import org.jbmi.tcp.io.SystemErrors;
import org.jbmi.tcp.settings.TcpCodes;
import org.jbmi.tcp.settings.TcpSettings;
import org.jbmi.tcp.wire.Dialect;
import org.jbmi.tcp.wire.WireMode;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;

/**
 * Writes sends to a connection, in order and one at a time. One thread has the right to write: the
 * one that set {@link Connection#writing} under the lock. It may be a thread that posts, the lead,
 * or one that cancels. Headers and small messages are gathered in a buffer for one write. A large
 * payload is written from the program's memory in the same write as its header.
 */
@SuppressWarnings("ReferenceEquality") // this very operation
final class Writer {
    /** Up to this size copying is cheaper than one more buffer in a system call. */
    static final int COPY_BYTES = WireMode.EAGER_BYTES;

    /** How many batches a thread writes in a row before it leaves the rest to another thread. */
    private static final int MAX_ROUNDS = 8;

    private final TcpState state;
    private final Endings endings;
    private final Flusher flusher;
    private final Dialect dialect;
    private final int headerBytes;

    Writer(TcpState state, Endings endings) {
        this.state = state;
        this.endings = endings;
        this.flusher = new Flusher(state, this);
        state.flush = flusher::corked;
        this.dialect = state.settings.dialect;
        this.headerBytes = dialect.headerBytes();
    }

    /**
     * Makes sure that waiting sends are written a moment later, even without a test call; under the
     * lock.
     */
    void cork(Connection connection) {
        if (!connection.corked) {
            connection.corked = true;
            flusher.corked(connection);
        }
    }

    /**
     * Writes a send before which no other waits. The caller has the right to write, and a batch.
     */
    long first(Connection connection, Operation own) {
        long sizeBytes = own.sizeBytes();
        int refusal;
        int error;
        try {
            refusal = commit(connection, own);
            error = refusal == 0 ? write(connection) : 0;
        } catch (RuntimeException | Error e) {
            int code = Endings.codeOf(e);
            endings.writesBroken(connection, code);
            return code;
        }
        if (error == 0 && connection.outgoing.isEmpty()) {
            pump(connection);
            return refusal != 0 ? refusal : sizeBytes;
        }
        synchronized (state.lock) {
            start(connection, own);
        }
        if (error != 0) {
            endings.writesBroken(connection, error);
        } else {
            parkSafely(connection);
        }
        return Method.PENDING;
    }

    /**
     * Writes the waiting sends; the caller has the right to write. Whatever fails here, the right
     * is released and all started sends get an outcome.
     */
    void pump(Connection connection) {
        try {
            pumpRounds(connection);
        } catch (RuntimeException | Error e) {
            endings.writesBroken(connection, Endings.codeOf(e));
        }
    }

    private void parkSafely(Connection connection) {
        try {
            park(connection);
        } catch (RuntimeException | Error e) {
            endings.writesBroken(connection, Endings.codeOf(e));
        }
    }

    private void pumpRounds(Connection connection) {
        int rounds = 0;
        do {
            if (!connection.outgoing.isEmpty()) {
                int error = write(connection);
                if (error != 0) {
                    endings.writesBroken(connection, error);
                    return;
                }
                settle(connection);
                if (!connection.outgoing.isEmpty()) {
                    park(connection);
                    return;
                }
            }
        } while (refill(connection, rounds++ < MAX_ROUNDS));
    }

    /**
     * Writes the waiting sends, unless another thread does.
     *
     * @return whether the socket took any bytes
     */
    boolean writable(Connection connection) {
        long before;
        synchronized (state.lock) {
            if (connection.writing || connection.ended || connection.writeError != 0) {
                return false;
            }
            connection.writing = true;
            before = connection.outgoing.writtenBytes;
        }
        pump(connection);
        return connection.outgoing.writtenBytes != before; // a hint: others may write by now
    }

    /** Puts a send into the batch. Returns 0, or a code if its memory is gone. */
    private int commit(Connection connection, Operation send) {
        Outgoing outgoing = connection.outgoing;
        BatchBuffer batch = outgoing.batch;
        if (batch == null) {
            throw new IllegalStateException("A writer has a batch.");
        }
        ByteBuffer out = batch.bytes;
        int begin = out.position();
        long sizeBytes = send.sizeBytes();
        boolean isUnexpected = send.kind() == OperationKind.SEND_UNEXPECTED;
        int mode = isUnexpected ? WireMode.UNEXPECTED : WireMode.ofExpected(sizeBytes);
        int messageClass = isUnexpected ? send.messageClass() : 0;
        dialect.write(out, mode, send.tag(), state.sourceHash, sizeBytes, messageClass);
        if (sizeBytes <= COPY_BYTES && sizeBytes <= out.remaining()) {
            try {
                state.payloads.copyIn(send, batch.memory, out.position());
            } catch (RuntimeException | InternalError | OutOfMemoryError e) {
                out.position(begin); // nothing is left of it, see TcpState.copyOut
                return TcpCodes.EFAULT;
            }
            out.position(out.position() + (int) sizeBytes);
        } else {
            if (outgoing.hasSmallBuffer) {
                outgoing.hasSmallBuffer = false;
                Sockets.sendsLarge(connection.channel, TcpSettings.NEAR_SEND_BUFFER_BYTES);
            }
            outgoing.large = send;
            outgoing.window.begin(send, 0, sizeBytes);
        }
        outgoing.committedBytes += headerBytes + sizeBytes;
        send.word0(outgoing.committedBytes);
        return 0;
    }

    /** Writes until everything is written or the socket takes no more; returns 0 or a code. */
    private int write(Connection connection) {
        Outgoing outgoing = connection.outgoing;
        try {
            boolean more = true;
            while (more) {
                state.counters.writes.increment();
                more = outgoing.writeOnce() && !outgoing.isEmpty();
            }
        } catch (IOException e) {
            return SystemErrors.codeOf(e, ErrorCode.ECONNRESET).negativeValue();
        } catch (IllegalStateException e) {
            return TcpCodes.EFAULT; // the rest of a message is missing, so the stream is broken
        }
        if (outgoing.isEmpty()) {
            outgoing.clear();
            BatchBuffer batch = outgoing.batch;
            boolean isCopy = batch != null && batch.isCopy;
            if (outgoing.rest != null || isCopy) {
                synchronized (state.lock) {
                    state.giveRest(connection);
                    if (isCopy) {
                        state.giveBatch(connection);
                    }
                }
            }
        }
        return 0;
    }

    /** Reports the sends that are written. */
    private void settle(Connection connection) {
        synchronized (state.lock) {
            long writtenBytes = connection.outgoing.writtenBytes;
            Operation send = connection.started.first();
            while (send != null && send.word0() <= writtenBytes) {
                connection.started.remove(send);
                if (send.methodState() == TcpState.STARTED_CANCELLED) {
                    connection.flagged--;
                }
                state.complete(send, 0, send.sizeBytes());
                send = connection.started.first();
            }
            // A small send of which a part is written; large ones move their idle deadline
            // meanwhile.
            if (send != null
                    && send.hasDeadline()
                    && send.word0() - send.sizeBytes() - headerBytes < writtenBytes) {
                send.progressed(connection.outgoing.lastWriteNs);
            }
        }
    }

    /** Takes the next sends if there are any, else releases the right to write. */
    private boolean refill(Connection connection, boolean mayGoOn) {
        Operation first;
        synchronized (state.lock) {
            first = takeBatchOfSends(connection, mayGoOn);
        }
        if (first == null) {
            return false;
        }
        Operation send = first;
        while (send != null) {
            Operation next = connection.started.next(send);
            int error = commit(connection, send);
            if (error != 0) {
                synchronized (state.lock) {
                    connection.started.remove(send);
                    state.complete(send, error, 0);
                }
            }
            send = next;
        }
        return true;
    }

    private @Nullable Operation takeBatchOfSends(Connection connection, boolean mayGoOn) {
        if (connection.ended || connection.writeError != 0) {
            endings.breakWrites(connection, connection.endCode);
            return null;
        }
        connection.corked = false;
        connection.corkedCount = 0;
        connection.corkedBytes = 0;
        TcpPeer peer = connection.peer;
        Operation first = peer.out == connection ? Operation.firstLive(peer.sends) : null;
        if (first == null || !mayGoOn) {
            giveRightBack(connection, first != null);
            return null;
        }
        BatchBuffer batch = connection.outgoing.batch;
        if (batch == null) {
            batch = state.takeBatch();
            connection.outgoing.batch = batch;
            if (batch == null) {
                awaitBatch(connection);
                return null;
            }
        }
        long room = (long) batch.bytes.remaining() - headerBytes;
        Operation send = first;
        boolean fits = true;
        while (send != null && fits) {
            peer.sends.remove(send);
            start(connection, send);
            boolean copied = send.sizeBytes() <= Math.min(COPY_BYTES, room);
            room -= send.sizeBytes() + headerBytes;
            send = copied ? Operation.firstLive(peer.sends) : null;
            fits = send != null && send.sizeBytes() <= room;
        }
        return first;
    }

    /** Queued sends wait until another connection frees a batch; under the lock. */
    private void awaitBatch(Connection connection) {
        releaseRight(connection);
        if (!state.awaitBatch(connection)) {
            state.completeAll(connection.peer.sends, TcpCodes.ENOMEM);
            if (connection.peer.awaitsMerge) {
                endings.sendsHaveLeft(connection.peer);
            }
        }
    }

    private static void start(Connection connection, Operation send) {
        send.methodState(TcpState.STARTED);
        send.attachment(connection);
        connection.started.addLast(send);
    }

    private void releaseRight(Connection connection) {
        if (connection.blocked) {
            state.interests.unwant(connection, SelectionKey.OP_WRITE);
            connection.blocked = false;
        }
        connection.writing = false;
    }

    private void giveRightBack(Connection connection, boolean leavesSome) {
        state.giveBatch(connection);
        releaseRight(connection);
        if (leavesSome) {
            // The lead takes it, or the flusher if no thread makes a test call.
            cork(connection);
            state.attend(connection);
        } else if (connection.peer.awaitsMerge) {
            endings.sendsHaveLeft(connection.peer);
        }
    }

    /** Releases the right to write while sends wait; serves cancels first. */
    private void park(Connection connection) {
        leaveBatch(connection);
        while (true) {
            Operation victim;
            synchronized (state.lock) {
                if (connection.ended) {
                    endings.breakWrites(connection, connection.endCode);
                    return;
                }
                victim = connection.flagged == 0 ? null : firstFlagged(connection);
                if (victim == null) {
                    connection.flagged = 0;
                    BatchBuffer batch = connection.outgoing.batch;
                    if (batch != null && batch.isEmpty()) {
                        state.giveBatch(connection); // only a payload waits, in its own memory
                    }
                    boolean waited = connection.blocked;
                    if (!waited) { // after a pause, the last write may be long ago
                        connection.outgoing.lastWriteNs = System.nanoTime();
                        state.interests.want(connection, SelectionKey.OP_WRITE);
                        connection.blocked = true;
                    }
                    connection.writing = false;
                    state.beginsTime();
                    if (!waited) {
                        state.host.wake();
                    }
                    return;
                }
            }
            if (!takeOver(connection, victim)) {
                return;
            }
        }
    }

    /**
     * Peers that do not read must not keep the batches that the sends to others need. When few are
     * left, a copy of the waiting bytes takes the place of the batch.
     */
    private void leaveBatch(Connection connection) {
        BatchBuffer batch = connection.outgoing.batch;
        if (batch == null || batch.isCopy || batch.isEmpty()) {
            return;
        }
        long leftBytes = batch.waiting().remaining();
        synchronized (state.lock) {
            if (!state.lacksBatches() || !state.reserveBatchCopy(leftBytes)) {
                return;
            }
        }
        BatchBuffer copy = null;
        try {
            copy = batch.copyOfWaiting();
        } catch (OutOfMemoryError e) {
            // It keeps its batch.
        }
        synchronized (state.lock) {
            if (copy == null) {
                state.unreserveBatchCopy(leftBytes);
            } else {
                state.giveBatch(connection);
                connection.outgoing.batch = copy;
            }
        }
    }

    private static @Nullable Operation firstFlagged(Connection connection) {
        Operation send = connection.started.first();
        while (send != null && send.methodState() != TcpState.STARTED_CANCELLED) {
            send = connection.started.next(send);
        }
        return send;
    }

    /** Ends a send of which a part may be on the wire. The caller has the right to write. */
    void cancelStarted(Connection connection, Operation send) {
        try {
            if (takeOver(connection, send)) {
                park(connection);
            }
        } catch (RuntimeException | Error e) {
            endings.writesBroken(connection, Endings.codeOf(e));
        }
    }

    /**
     * Frees a send from its buffers. Its rest is copied and written later, so the peer gets a whole
     * message. The send succeeds, whatever ended it. Without room for the copy the connection is
     * closed, and the send ends with the code of its cancel.
     */
    private boolean takeOver(Connection connection, Operation send) {
        if (connection.outgoing.large == send) {
            int error = copyRest(connection, send);
            if (error != 0) {
                endings.writesBroken(connection, error);
                endings.force(connection, error);
                return false;
            }
        }
        synchronized (state.lock) {
            connection.started.remove(send);
            connection.flagged--;
            state.complete(send, 0, send.sizeBytes());
        }
        return true;
    }

    /** Returns 0, or the code that the connection ends with. */
    private int copyRest(Connection connection, Operation send) {
        Outgoing outgoing = connection.outgoing;
        long left = outgoing.leftOfLarge();
        int code = (int) send.word2();
        synchronized (state.lock) {
            if (!state.reserveRest(left)) {
                return code;
            }
        }
        Rest rest = null;
        try {
            rest = Rest.copyOf(send, left);
        } catch (RuntimeException | InternalError e) {
            code = TcpCodes.EFAULT; // the program closed its arena, or shortened the file
        }
        synchronized (state.lock) {
            if (rest == null) {
                state.unreserveRest(left);
                return code;
            }
            state.counters.copies.increment();
            outgoing.large = null;
            outgoing.rest = rest;
        }
        outgoing.window.end();
        return 0;
    }
}
