package org.jbmi.tcp.peer;

import org.jbmi.spi.Operation;
import org.jbmi.tcp.settings.TcpCodes;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The ends of connections and peers. Writing may end before reading does: messages that the peer
 * sent before it closed are read first. The owner reports each operation once. The writer reports
 * sends that it has started. The lead reports the receive that it fills. A thread with the lock
 * reports all others.
 */
final class Endings {
    /** How much is read and dropped from a socket before it is closed, so that it is not reset. */
    private static final int DRAIN_BYTES = 64 << 10;

    private static final System.Logger LOG = System.getLogger("org.jbmi.tcp");

    private final TcpState state;
    private final Directory directory;

    // Made beforehand: operations must also end while there is no memory for a lambda.
    private final Predicate<Operation> isReceive = Endings::isReceive;
    private final Consumer<Operation> failReceive = this::failReceive;
    private final Predicate<Operation> isEarly = EarlyMessage.class::isInstance;
    private final Consumer<Operation> dropMessage = this::dropMessage;

    /** The code for {@link #failReceive}; guarded by the lock. */
    private int receivesCode;

    /** How many messages {@link #dropMessage} has dropped; guarded by the lock. */
    private int droppedMessages;

    Endings(TcpState state, Directory directory) {
        this.state = state;
        this.directory = directory;
    }

    /** The code that a connection ends with after an exception in its own work. */
    static int codeOf(Throwable failure) {
        if (failure instanceof OutOfMemoryError) {
            return TcpCodes.ENOMEM;
        }
        LOG.log(System.Logger.Level.ERROR, "A connection is given up.", failure);
        return TcpCodes.EIO;
    }

    /**
     * The writer finds that nothing more can be written. Reading goes on to the end. A broken pipe
     * may mean that the peer closed or that it was reset. Only one of the two sides is told the
     * latter. So the end of reading decides the code of the sends too.
     */
    void writesBroken(Connection connection, int code) {
        synchronized (state.lock) {
            connection.writing = false;
            connection.blocked = false;
            if (connection.ended) {
                breakWrites(connection, connection.endCode);
            } else {
                if (code != TcpCodes.EPIPE) {
                    breakWrites(connection, code);
                } else if (connection.writeError == 0) {
                    connection.writeError = code;
                    connection.outgoing.lastWriteNs = System.nanoTime();
                }
                state.beginsTime();
                state.attend(connection);
            }
        }
        state.interests.unwant(connection, SelectionKey.OP_WRITE);
    }

    /** Ends all sends of a connection; under the lock, by the writer or while there is none. */
    void breakWrites(Connection connection, int because) {
        int code = codeOf(connection, because);
        Outgoing outgoing = connection.outgoing;
        connection.writing = false;
        connection.blocked = false;
        if (connection.writesOver) {
            return;
        }
        connection.writesOver = true;
        connection.writeError = code;
        connection.flagged = 0;
        outgoing.large = null;
        state.giveRest(connection);
        outgoing.window.end();
        outgoing.lastWriteNs = System.nanoTime();
        state.giveBatch(connection);
        endSends(connection, code);
    }

    /** The peer answers the end that this side makes, perhaps before the lead has closed. */
    private static int codeOf(Connection connection, int because) {
        return connection.forcedCode == 0 ? because : connection.forcedCode;
    }

    private void endSends(Connection connection, int code) {
        state.completeAll(connection.started, code);
        TcpPeer peer = connection.peer;
        if (peer.out == connection) {
            peer.out = null;
            if (!peer.isLookedUp() && peer.failure == 0) {
                peer.failure = code;
            }
            state.completeAll(peer.sends, code);
        }
    }

    /**
     * Makes the lead close a connection without reading to its end. Any thread, without the lock.
     */
    void force(Connection connection, int code) {
        synchronized (state.lock) {
            beginForce(connection, code);
        }
        disconnect(connection.peer);
    }

    /** The first half of it, under the lock; {@link #disconnect} follows. */
    void beginForce(Connection connection, int code) {
        if (!connection.ended && connection.forcedCode == 0) {
            connection.forcedCode = code;
            state.attend(connection);
        }
    }

    /**
     * Disconnects a peer whose connections are to be closed at once, since perhaps no thread makes
     * a test call soon. Without the lock.
     */
    void disconnect(TcpPeer peer) {
        for (Connection next = pollForced(peer); next != null; next = pollForced(peer)) {
            try {
                next.channel.shutdownOutput();
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "shutdown", e); // it is closed already
            }
        }
    }

    /** A connection whose end the peer does not see yet; a list of them would need memory. */
    private @Nullable Connection pollForced(TcpPeer peer) {
        synchronized (state.lock) {
            for (int i = 0; i < peer.connections.size(); i++) {
                Connection next = peer.connections.get(i);
                if (next.forcedCode != 0 && next.established && !next.disconnected) {
                    next.disconnected = true;
                    return next;
                }
            }
            return null;
        }
    }

    /** Closes a connection; called by the lead. */
    void end(Connection connection, int because) {
        boolean ends = false;
        try {
            synchronized (state.lock) {
                ends = !connection.ended;
                if (ends) {
                    leave(connection, because);
                }
            }
        } finally {
            if (ends) { // also if there is no memory: nobody would close it later
                state.stashes.drop(connection);
                connection.incoming.endWindow();
                close(connection);
            }
        }
    }

    /** Ends the operations of a connection, whichever of these steps fail. */
    private void leave(Connection connection, int because) {
        // The writer got the reset, so the reader found a normal end.
        boolean wasReset =
                because == TcpCodes.EPIPE && connection.writeError == TcpCodes.ECONNRESET;
        int code = codeOf(connection, wasReset ? TcpCodes.ECONNRESET : because);
        connection.endCode = code;
        connection.ended = true;
        state.endedConnections++;
        state.connections.remove(connection);
        state.unstall(connection);
        state.counters.connections.add(-1);
        connection.parkedExpected = false;
        try {
            if (!connection.writing) {
                breakWrites(connection, code); // otherwise its writer does when it finds it closed
            }
        } finally {
            try {
                endIncoming(connection, code);
            } finally {
                leavePeer(connection, code);
            }
        }
    }

    /** Nothing of a peer's sends is left, for which its merge has waited; under the lock. */
    void sendsHaveLeft(TcpPeer peer) {
        directory.sendsHaveLeft(peer);
    }

    private void endIncoming(Connection connection, int code) {
        Incoming incoming = connection.incoming;
        Operation operation = connection.inOperation;
        if (operation != null) {
            connection.inOperation = null;
            connection.touching = false;
            state.complete(operation, code, 0);
        }
        EarlyMessage message = connection.inEarly;
        if (message != null) {
            connection.inEarly = null;
            Operation claimant = message.claimant;
            if (claimant != null) {
                state.complete(claimant, code, 0);
            }
            state.freeEarly(message);
        }
        if (incoming.unexpectedToken >= 0) {
            state.unexpected.free(incoming.unexpectedToken);
            incoming.unexpectedToken = -1;
            state.memoryFreed();
        }
    }

    private void leavePeer(Connection connection, int code) {
        TcpPeer peer = connection.peer;
        peer.connections.remove(connection);
        if (peer.out == connection) {
            peer.out = null; // a writer still runs, and reports the sends that it has started
            state.completeAll(peer.sends, code);
        }
        if (!peer.isLookedUp() && peer.failure == 0) {
            peer.failure = code;
        }
        state.lingering.remove(peer); // it was connected again meanwhile
        boolean hasGone = peer.connections.isEmpty() && !peer.dialing;
        try {
            if (hasGone) {
                failReceives(peer, code); // before the rest, which may run out of memory
            }
        } finally {
            leaveDirectory(peer, hasGone);
        }
    }

    private void leaveDirectory(TcpPeer peer, boolean hasGone) {
        try {
            if (peer.isLookedUp()) {
                directory.forgetIfIdle(peer);
            } else {
                directory.forgetInbound(peer);
            }
        } finally {
            if (hasGone) {
                bury(peer);
            }
        }
    }

    /**
     * An attempt to connect has failed: a peer without a connection ends, which it did not while it
     * was being dialed. Under the lock.
     */
    void dialFailed(TcpPeer peer, int code) {
        if (peer.connections.isEmpty()) {
            try {
                failReceives(peer, code);
            } finally {
                leaveDirectory(peer, true);
            }
        }
    }

    /** Ends the receives that wait; under the lock. */
    void failReceives(TcpPeer peer, int code) {
        receivesCode = code;
        peer.table.drain(isReceive, failReceive);
    }

    private static boolean isReceive(Operation operation) {
        return !(operation instanceof EarlyMessage);
    }

    private void failReceive(Operation receive) {
        state.complete(receive, receivesCode, 0);
    }

    /**
     * A peer has no connection any more. If it cannot come back, the core learns that it has
     * failed, once no message of it waits.
     */
    private void bury(TcpPeer peer) {
        if (peer.handle() == null) {
            dropEarly(peer); // the program does not know it and cannot receive them
        }
        if (peer.earlyCount == 0) {
            tellFailure(peer);
        } else if (!state.lingering.contains(peer)) { // a failed attempt gives no more time
            peer.lingerUntilNs = System.nanoTime() + state.settings.earlyLingerNs;
            keepMessages(peer);
        }
    }

    /** Without memory for a longer list the messages go at once: nobody would drop them later. */
    private void keepMessages(TcpPeer peer) {
        boolean isKept = false;
        try {
            state.lingering.add(peer);
            isKept = true;
        } finally {
            if (!isKept) {
                dropEarly(peer);
                tellFailure(peer);
            }
        }
        state.beginsTime();
    }

    /** A message was taken out of the table; under the lock. */
    void earlyTaken(TcpPeer peer) {
        peer.earlyCount--;
        if (peer.earlyCount == 0 && peer.connections.isEmpty()) {
            state.lingering.remove(peer);
            tellFailure(peer);
        }
    }

    /**
     * Drops the messages of the peer that has gone first; false if there is none. Allocates nothing
     * itself. The peer leaves the list last, so that a later call takes a step that fails.
     */
    boolean dropOldestLingering() {
        if (state.lingering.isEmpty()) {
            return false;
        }
        TcpPeer peer = state.lingering.getFirst();
        if (!isConnected(peer)) { // otherwise it is connected again
            dropMessages(peer);
            tellFailure(peer);
        }
        state.lingering.remove(peer);
        return true;
    }

    private static boolean isConnected(TcpPeer peer) {
        for (int i = 0; i < peer.connections.size(); i++) {
            if (peer.connections.get(i).established) {
                return true;
            }
        }
        return false;
    }

    /** Drops messages whose time has passed; under the lock. */
    void dropOverdue(long nowNs) {
        while (!state.lingering.isEmpty()
                && nowNs - state.lingering.getFirst().lingerUntilNs >= 0) {
            dropOldestLingering();
        }
    }

    /**
     * Frees the complete messages of a peer, which is not kept for them any more; under the lock.
     */
    void dropEarly(TcpPeer peer) {
        dropMessages(peer);
        state.lingering.remove(peer);
    }

    private void dropMessages(TcpPeer peer) {
        if (peer.earlyCount > 0) {
            droppedMessages = 0;
            try {
                peer.table.drain(isEarly, dropMessage);
            } finally {
                peer.earlyCount -= droppedMessages;
            }
        }
    }

    private void dropMessage(Operation message) {
        droppedMessages++;
        state.counters.lostEarly.increment();
        state.freeEarly((EarlyMessage) message);
    }

    private void tellFailure(TcpPeer peer) {
        if (peer.failure != 0) {
            state.host.peerFailed(peer, peer.failure);
        }
    }

    /** Closes the socket without unread bytes in it, so that written bytes still arrive. */
    private void close(Connection connection) {
        try {
            if (connection.established && connection.endCode != TcpCodes.EBADMSG) {
                drain(connection);
            }
        } finally { // whatever fails while it is drained
            state.interests.close(connection, connection.channel);
        }
    }

    private static void drain(Connection connection) {
        try {
            connection.channel.shutdownOutput();
            ByteBuffer sink = ByteBuffer.allocate(DRAIN_BYTES / 16);
            int left = DRAIN_BYTES;
            int n = connection.channel.read(sink);
            while (n > 0 && left > 0) {
                left -= n;
                n = connection.channel.read(sink.clear());
            }
        } catch (IOException | OutOfMemoryError e) {
            // It is broken already, or there is no memory to read into: it is closed as it is.
        }
    }
}
