package org.jbmi.zbmi.engine;

import org.jbmi.spi.IntrusiveList;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.engine.state.ClientSession;
import org.jbmi.zbmi.engine.state.EngineState;
import org.jbmi.zbmi.engine.state.Grant;
import org.jbmi.zbmi.engine.state.GrantStream;
import org.jbmi.zbmi.engine.state.MatchQueue;
import org.jbmi.zbmi.engine.state.Operation;
import org.jbmi.zbmi.engine.state.UnexpectedBlock;
import org.jbmi.zbmi.engine.state.UnexpectedStream;
import org.jbmi.zbmi.protocol.GrantWindow;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jspecify.annotations.Nullable;

/*
 * Grants, and how a race between a claim and a withdrawal is decided.
 *
 * A grant is an offer until its client claims it, by adding one to the count in the word of the
 * stream's window. The engine takes offers back by closing the window. Both are a compare-and-set
 * on the same word, so one of them is first, and both sides know which, without a message:
 *
 *   claim first: the word shows it when the window is closed. The grant stays: its bytes are moved,
 *     DONE comes, and both sides get the real outcome. A late CANCEL, WITHDRAW or DISARM changes
 *     nothing. Only DONE, or the end of the client's process, ends it.
 *   close first: the claim fails, and the client knows that no byte may be moved. The engine puts
 *     both operations back into their queues.
 *
 * The count only goes up by one, and a claim names the number of its grant. So the claimed grants
 * are always the first ones of those offered, whatever the client does:
 *
 *   - A client that has cancelled an operation ignores its grant. Then no later claim in that
 *     window can succeed, until the engine hears of the cancel, closes the window, and matches
 *     and offers the rest anew. So the order holds although the cancel crossed the grant.
 *   - If the server cancels an operation whose grant is not claimed, no later grant of the stream
 *     is claimed either. All are taken back, and the older send gets the next receive.
 *   - So only further offers may follow in a stream while an offer is unclaimed (hasUnclaimed).
 *     An eager message, or one that is too long, would be matched with an operation that may
 *     still change its partner.
 *
 * Offers are put back newest first, each at the head of its queue, which restores the order of
 * arrival.
 *
 * The client can write the word. A word that neither side can have written is a fault of the
 * client. Then all its offers count as claimed, since bytes may be moving, and the session ends.
 * Each time a window is opened it has a new generation, so a stale message fits no word.
 */

/** Offers grants to clients and takes them back. */
final class Grants {
    private static final int IMPOSSIBLE = -1;

    private final EngineState state;
    private final Outcomes outcomes;

    Grants(EngineState state, Outcomes outcomes) {
        this.state = state;
        this.outcomes = outcomes;
    }

    /** Whether the bytes of a client's operation may be requested now. */
    boolean mayOffer(Operation clientOperation) {
        ClientSession client = clientOperation.client();
        return client.isListening()
                && client.hasFreeGrant()
                && (client.isInCall() || clientOperation.isCallOpen());
    }

    /** Offers a client to move bytes between an operation of its own and one of the server's. */
    void offer(MatchQueue queue, Operation clientOperation, Operation serverOperation, long bytes) {
        Grant grant = open(queue, clientOperation, bytes);
        grant.serverOperation = serverOperation;
        serverOperation.grant = grant;
        serverOperation.state = Operation.State.GRANTED;
        send(
                grant,
                clientOperation,
                serverOperation.offset,
                serverOperation.listOffset,
                serverOperation.listEntries);
    }

    /** Offers a client to write an unexpected message into a block. */
    void offer(UnexpectedStream stream, Operation clientOperation, UnexpectedBlock block) {
        Grant grant = open(stream, clientOperation, clientOperation.bytes);
        grant.block = block;
        send(grant, clientOperation, block.offset, 0, 0);
    }

    private Grant open(GrantStream stream, Operation clientOperation, long bytes) {
        ClientSession client = stream.client;
        Grant grant = client.takeGrant();
        if (stream.window == GrantStream.NO_WINDOW) {
            stream.window = client.takeWindow();
            stream.windowGeneration = client.nextWindowGeneration(stream.window);
            stream.offered = 0;
            state.payload.openWindow(
                    client.index, stream.window, GrantWindow.open(stream.windowGeneration, 0));
        }
        grant.stream = stream;
        grant.index = stream.offered++;
        grant.bytes = bytes;
        grant.clientOperation = clientOperation;
        clientOperation.grant = grant;
        clientOperation.state = Operation.State.GRANTED;
        stream.inWindow.addLast(grant);
        stream.outstanding++;
        return grant;
    }

    private void send(
            Grant grant, Operation operation, long offset, long listOffset, int listEntries) {
        GrantStream stream = grant.stream();
        ClientSession client = stream.client;
        Operation ofServer = grant.serverOperation;
        long correlation = outcomes.closeCall(operation);
        client.pushed++;
        state.count(client.index, EngineCounter.GRANTS);
        state.output.grant(
                client.index,
                correlation,
                operation.reference,
                operation.id(),
                grant.id,
                grant.bytes,
                offset,
                listOffset,
                listEntries,
                stream.window,
                ofServer == null ? 0 : (int) ofServer.arrival,
                GrantWindow.open(stream.windowGeneration, grant.index));
    }

    /** Whether a stream has unclaimed offers that may still be taken back. */
    boolean hasUnclaimed(GrantStream stream) {
        return !stream.inWindow.isEmpty() && unclaimed(stream, word(stream)) > 0;
    }

    /** Whether a grant is claimed for good. */
    boolean isClaimed(Grant grant) {
        if (grant.claimed) {
            return true;
        }
        GrantStream stream = grant.stream();
        int unclaimed = unclaimed(stream, word(stream));
        return stream.offered - grant.index > unclaimed;
    }

    private long word(GrantStream stream) {
        return state.payload.windowWord(stream.client.index, stream.window);
    }

    // The number of offers that a word leaves open, or IMPOSSIBLE if neither side can have written
    // it.
    private int unclaimed(GrantStream stream, long word) {
        int unclaimed = stream.offered - GrantWindow.claimedCount(word);
        boolean possible =
                GrantWindow.generation(word) == stream.windowGeneration
                        && !GrantWindow.isClosed(word)
                        && unclaimed >= 0
                        && unclaimed <= stream.inWindow.size();
        if (!possible) {
            state.fault(stream.client, Fault.BAD_WINDOW);
            return IMPOSSIBLE;
        }
        return unclaimed;
    }

    /**
     * Takes back unclaimed grants: their operations are passed to {@code putBack}, newest first.
     * The others are known to be claimed from then on.
     */
    void close(GrantStream stream, PutBack putBack) {
        if (stream.inWindow.isEmpty()) {
            return;
        }
        int unclaimed = closeWindow(stream);
        for (int i = 0; i < unclaimed; i++) {
            takeBack(stream, putBack);
        }
        IntrusiveList<Grant> claimed = stream.inWindow;
        for (Grant grant = claimed.poll(); grant != null; grant = claimed.poll()) {
            grant.claimed = true;
        }
        releaseWindow(stream);
    }

    // A client can add to the count once for each offer; one that changes the word more often
    // breaks the protocol.
    private int closeWindow(GrantStream stream) {
        for (int attempt = 0; attempt <= SessionArea.WINDOWS; attempt++) {
            long word = word(stream);
            int unclaimed = unclaimed(stream, word);
            if (unclaimed == IMPOSSIBLE) {
                return 0;
            }
            if (state.payload.swapWindow(
                    stream.client.index, stream.window, word, GrantWindow.closed(word))) {
                return unclaimed;
            }
        }
        state.fault(stream.client, Fault.BAD_WINDOW);
        return 0;
    }

    private void takeBack(GrantStream stream, PutBack putBack) {
        Grant grant = stream.inWindow.last();
        if (grant == null) {
            throw new IllegalStateException("more grants to take back than there are");
        }
        Operation clientOperation = grant.clientOperation;
        Operation serverOperation = grant.serverOperation;
        UnexpectedBlock block = grant.block;
        stream.inWindow.remove(grant);
        stream.outstanding--;
        stream.client.releaseGrant(grant);
        state.count(stream.client.index, EngineCounter.GRANTS_TAKEN_BACK);
        requeue(clientOperation);
        requeue(serverOperation);
        putBack.putBack(stream, clientOperation, serverOperation, block);
    }

    private static void requeue(@Nullable Operation operation) {
        if (operation != null) {
            operation.grant = null;
            operation.state = Operation.State.QUEUED;
        }
    }

    /** Ends a grant whose transfer is over. */
    void end(Grant grant) {
        GrantStream stream = grant.stream();
        if (!grant.claimed) {
            stream.inWindow.remove(grant);
        }
        stream.outstanding--;
        stream.client.releaseGrant(grant);
        if (stream.inWindow.isEmpty()) {
            releaseWindow(stream);
        }
    }

    private static void releaseWindow(GrantStream stream) {
        if (stream.window != GrantStream.NO_WINDOW) {
            stream.client.releaseWindow(stream.window);
            stream.window = GrantStream.NO_WINDOW;
        }
    }

    /** Takes the operations of an offer that is taken back. */
    @FunctionalInterface
    interface PutBack {
        void putBack(
                GrantStream stream,
                @Nullable Operation clientOperation,
                @Nullable Operation serverOperation,
                @Nullable UnexpectedBlock block);
    }
}
