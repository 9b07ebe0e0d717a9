package org.jbmi.zbmi.engine;

import org.jbmi.spi.IntrusiveList;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.engine.state.ClientSession;
import org.jbmi.zbmi.engine.state.EngineState;
import org.jbmi.zbmi.engine.state.GrantStream;
import org.jbmi.zbmi.engine.state.Operation;
import org.jbmi.zbmi.engine.state.UnexpectedBlock;
import org.jbmi.zbmi.engine.state.UnexpectedRegion;
import org.jbmi.zbmi.engine.state.UnexpectedStream;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

/**
 * Unexpected messages: accepted into bounded memory in the order of their client, and handed to the
 * server in that order, each when it is complete.
 *
 * <p>Memory is shared fairly. A client may hold at most half of the memory that is free or its own,
 * except for its first chunk ({@link UnexpectedRegion#mayTakeChunk}). A client that finds no memory
 * joins a ring and is served when memory is freed, one message in each turn.
 *
 * <p>Clients that hold less than a limit go first, so that earlier clients cannot keep them out.
 * The limit is half of an even share of the region, and at least one longest message.
 *
 * <p>A client that must move its bytes itself joins the ring only while it is in a call. Between
 * two calls it keeps its place, unless an offer is taken back from it. It leaves the ring if it is
 * in no call at its turn.
 *
 * <p>A message in an eager slot that its client has lent needs no memory. The server gets the slot,
 * and the client gets the slot back when the server frees the message.
 *
 * <p>A block that the server frees is free at once. The call that frees serves no waiting messages.
 * They are served at the next {@link Engine#tick}, which is due at once, or when another message
 * needs memory before that.
 */
final class Unexpected {
    private enum Accept {
        ACCEPTED,
        NO_MEMORY,
        NOT_NOW
    }

    private final EngineState state;
    private final Outcomes outcomes;
    private final Grants grants;
    private final UnexpectedRegion region;
    private final Grants.PutBack putBack = this::putBack;

    /** Clients that wait for memory. */
    private final IntrusiveList<UnexpectedStream> ring = new IntrusiveList<>();

    private boolean isServiceDue;

    Unexpected(EngineState state, Outcomes outcomes, Grants grants) {
        this.state = state;
        this.outcomes = outcomes;
        this.grants = grants;
        this.region = new UnexpectedRegion(state.limits);
    }

    UnexpectedRegion region() {
        return region;
    }

    int waiting() {
        return ring.size();
    }

    /** Accepts as many of a client's messages as it can. */
    void advance(UnexpectedStream stream) {
        serveDue();
        Accept result = accept(stream, true);
        while (result == Accept.ACCEPTED) {
            result = accept(stream, true);
        }
        settle(result, stream);
    }

    // The next message of a client in a call takes its place among all that waits for a grant.
    private void settle(Accept result, UnexpectedStream stream) {
        if (result == Accept.NO_MEMORY) {
            join(stream);
            return;
        }
        leave(stream);
        if (stream.client.isInCall()) {
            joinReady(stream);
        }
    }

    /**
     * Puts a client's messages behind all else that waits for a grant, if the next needs one. A
     * client that waits for memory does not wait for a grant.
     */
    void joinReady(UnexpectedStream stream) {
        Operation head = stream.pending.first();
        if (head == null || head.isHere() || !state.server.isAttached) {
            stream.client.ready.remove(stream);
        } else if (!ring.contains(stream)) {
            stream.client.addReady(stream);
        }
    }

    /** Offers a client its next message. The rest of them wait for their next turn. */
    void offerNext(UnexpectedStream stream) {
        serveDue();
        Accept result = accept(stream, true);
        if (result == Accept.ACCEPTED) {
            joinReady(stream);
        } else if (result == Accept.NO_MEMORY) {
            join(stream);
        }
    }

    /** See {@link #advance}. A client that waits for a grant or for memory keeps its place. */
    void advanceUnlessListed(UnexpectedStream stream) {
        if (!ring.contains(stream) && !stream.client.ready.contains(stream)) {
            advance(stream);
        }
    }

    /** Takes unclaimed offers back into the client's queue. */
    void takeBack(UnexpectedStream stream) {
        grants.close(stream, putBack);
    }

    /** Takes unclaimed offers back from a client that is in no call any more. */
    void endWait(UnexpectedStream stream) {
        Operation head = stream.pending.first();
        takeBack(stream);
        if (stream.pending.first() == head) {
            advanceUnlessListed(stream);
        } else {
            advance(stream);
        }
    }

    private Accept accept(UnexpectedStream stream, boolean mayTakeChunk) {
        Operation head = stream.pending.first();
        if (head == null || !state.server.isAttached) {
            return Accept.NOT_NOW;
        }
        boolean isHere = head.isHere();
        if (isHere ? grants.hasUnclaimed(stream) : !grants.mayOffer(head)) {
            return Accept.NOT_NOW;
        }
        UnexpectedBlock block = head.place;
        if (block == null) {
            block = region.take(stream, head.bytes, mayTakeChunk);
            if (block == null) {
                countDeferred(head);
                return Accept.NO_MEMORY;
            }
            fillIn(block, head.client(), head.tag, head.messageClass);
        }
        stream.pending.remove(head);
        if (isHere) {
            store(stream, head, block);
        } else {
            block.state = UnexpectedBlock.State.MOVING;
            stream.accepted.addLast(block);
            grants.offer(stream, head, block);
        }
        return Accept.ACCEPTED;
    }

    private void countDeferred(Operation head) {
        if (!head.deferred) {
            head.deferred = true;
            state.count(head.client().index, EngineCounter.UNEXPECTED_DEFERRED);
        }
    }

    /** Counts a message that nobody will get although its send is over, and frees its memory. */
    void forget(Operation operation) {
        if (operation.isKept) {
            state.count(operation.client().index, EngineCounter.UNEXPECTED_DROPPED);
        }
        UnexpectedBlock block = operation.place;
        if (block != null) {
            operation.place = null;
            release(block);
        }
    }

    /** Frees a block whose message nobody gets. */
    void drop(UnexpectedBlock block) {
        state.count(block.client, EngineCounter.UNEXPECTED_DROPPED);
        release(block);
    }

    private void release(UnexpectedBlock block) {
        state.add(block.client, EngineCounter.UNEXPECTED_HELD, -block.bytes);
        if (block.slot >= 0) {
            state.client(block.client).lentSlots.release(block, state.payload);
        } else {
            region.release(block);
        }
    }

    private void fillIn(UnexpectedBlock block, ClientSession client, int tag, int messageClass) {
        block.client = client.index;
        block.generation = client.generation;
        block.tag = tag;
        block.messageClass = messageClass;
        state.add(block.client, EngineCounter.UNEXPECTED_HELD, block.bytes);
    }

    /**
     * Accepts a short message that is counted or kept, if it is the next and there is memory: it
     * was never an operation.
     *
     * @return whether it is accepted; if not, nothing was done with it
     */
    boolean acceptAtOnce(
            ClientSession client,
            long reference,
            int tag,
            int messageClass,
            long bytes,
            Message inline) {
        serveDue();
        UnexpectedStream stream = client.unexpected;
        UnexpectedBlock block = isNext(stream) ? region.take(stream, bytes, true) : null;
        if (block == null) {
            return false;
        }
        fillIn(block, client, tag, messageClass);
        block.state = UnexpectedBlock.State.WHOLE;
        state.payload.copyInline(inline, bytes, block.offset);
        state.count(client.index, EngineCounter.EAGER_MOVES);
        stream.accepted.addLast(block);
        if (ClientRequests.isCounted(inline)) {
            client.pushed++;
            state.output.accepted(client.index, reference);
        }
        deliver(stream);
        return true;
    }

    /**
     * Takes an eager slot that its client lends.
     *
     * @return the block that it is now; null if the client must not lend it
     */
    @Nullable UnexpectedBlock borrow(
            ClientSession client, int slot, int tag, int messageClass, long bytes) {
        UnexpectedBlock block = client.lentSlots.take(slot, bytes);
        if (block != null) {
            fillIn(block, client, tag, messageClass);
            block.state = UnexpectedBlock.State.WHOLE;
        }
        return block;
    }

    /**
     * Accepts a message in a lent slot, if it is the next.
     *
     * @return whether it is accepted; if not, nothing was done with it
     */
    boolean acceptAtOnce(ClientSession client, UnexpectedBlock block) {
        UnexpectedStream stream = client.unexpected;
        if (!isNext(stream)) {
            return false;
        }
        stream.accepted.addLast(block);
        deliver(stream);
        return true;
    }

    // A message is accepted behind a claimed offer too: an operation for it would need memory.
    // Mostly there is no offer, and then the window is not read.
    private boolean isNext(UnexpectedStream stream) {
        return state.server.isAttached
                && stream.pending.first() == null
                && (stream.inWindow.isEmpty() || !grants.hasUnclaimed(stream));
    }

    private void store(UnexpectedStream stream, Operation head, UnexpectedBlock block) {
        int client = stream.client.index;
        block.state = UnexpectedBlock.State.WHOLE;
        if (head.place != null) {
            head.place = null; // the bytes stay where they are
        } else if (head.inline != null) {
            state.payload.copyInline(head.inline, head.bytes, block.offset);
        } else if (state.payload.takeEager(client, head.eagerSlot, head.eagerSequence)) {
            state.payload.copyEager(client, head.eagerSlot, head.bytes, block.offset);
        } else {
            release(block);
            state.count(client, EngineCounter.WITHDRAWN);
            outcomes.forget(head);
            return;
        }
        if (block.slot < 0) {
            state.count(client, EngineCounter.EAGER_MOVES);
        }
        stream.accepted.addLast(block);
        outcomes.finish(head, 0, block.bytes);
        deliver(stream);
    }

    /**
     * The transfer of a granted message has ended, whole or not. Memory that it gives back goes to
     * those who wait for it, and only then to the next message of its client. {@link #serveWaiting}
     * must follow.
     */
    void moved(UnexpectedStream stream, UnexpectedBlock block, boolean isWhole) {
        boolean isToBeDelivered = block.state == UnexpectedBlock.State.MOVING && isWhole;
        if (isToBeDelivered) {
            block.state = UnexpectedBlock.State.WHOLE;
        } else {
            if (block.state == UnexpectedBlock.State.MOVING) {
                stream.accepted.remove(block);
            } else {
                state.count(block.client, EngineCounter.UNEXPECTED_DROPPED);
            }
            release(block);
        }
        deliver(stream);
        if (!isToBeDelivered) {
            serveWaiting();
        }
    }

    /** Hands over the messages that are complete and next in order. */
    void deliver(UnexpectedStream stream) {
        UnexpectedBlock block = stream.accepted.first();
        while (block != null && block.state == UnexpectedBlock.State.WHOLE) {
            stream.accepted.remove(block);
            state.server.lent.addLast(block);
            block.state = UnexpectedBlock.State.LENT;
            state.count(block.client, EngineCounter.UNEXPECTED_ACCEPTED);
            state.add(block.client, EngineCounter.UNEXPECTED_BYTES, block.bytes);
            state.toServer.unexpected(
                    block.client,
                    block.generation,
                    block.tag,
                    block.messageClass,
                    block.offset,
                    block.bytes,
                    ++state.server.lastMessageId);
            block = stream.accepted.first();
        }
    }

    /** The server frees a block. */
    void free(long offset) {
        UnexpectedBlock block = region.find(offset);
        if (block == null) {
            block = findLent(offset);
        }
        if (block == null || block.state != UnexpectedBlock.State.LENT) {
            state.serverFault(Fault.BAD_FREE);
            return;
        }
        state.server.lent.remove(block);
        release(block);
        isServiceDue = !ring.isEmpty() && region.hasFreeChunk();
    }

    private @Nullable UnexpectedBlock findLent(long offset) {
        long client = state.limits.eagerPlaces().clientAt(offset);
        boolean isClient = client > 0 && client <= state.maxClient();
        return isClient ? state.client((int) client).lentSlots.find(offset) : null;
    }

    /** Whether memory was freed that a message may be waiting for. */
    boolean isServiceDue() {
        return isServiceDue;
    }

    /** Whether a message waits that could use some of the free memory. */
    boolean couldServe() {
        return pick() != null;
    }

    /** Gives freed memory to messages that wait for it. */
    void serveWaiting() {
        isServiceDue = false;
        for (UnexpectedStream next = pick(); next != null; next = pick()) {
            leave(next);
            Accept result = accept(next, true);
            while (result == Accept.ACCEPTED) {
                result = accept(next, ring.isEmpty());
            }
            settle(result, next);
        }
    }

    private void serveDue() {
        if (isServiceDue) {
            serveWaiting();
        }
    }

    private @Nullable UnexpectedStream pick() {
        int share = Math.max(1, region.chunkCount() / Math.max(1, 2 * ring.size()));
        UnexpectedStream second = null;
        UnexpectedStream candidate = region.hasFreeChunk() ? ring.first() : null;
        while (candidate != null) {
            boolean mayTake = region.mayTakeChunk(candidate);
            if (mayTake && candidate.heldChunks < share) {
                return candidate;
            }
            second = mayTake && second == null ? candidate : second;
            candidate = ring.next(candidate);
        }
        return second;
    }

    private void join(UnexpectedStream stream) {
        if (!ring.contains(stream)) {
            stream.client.ready.remove(stream); // it waits for memory, not for a grant
            ring.addLast(stream);
        }
    }

    private void leave(UnexpectedStream stream) {
        ring.remove(stream);
    }

    /** The messages of a client wait for nothing any more. */
    void waitNoMore(UnexpectedStream stream) {
        leave(stream);
        stream.client.ready.remove(stream);
    }

    /**
     * A client is evicted: messages that it may still be writing will be dropped, complete ones go
     * on.
     */
    void doomMoving(UnexpectedStream stream) {
        stream.accepted.drain(
                block -> block.state == UnexpectedBlock.State.MOVING,
                block -> block.state = UnexpectedBlock.State.DOOMED);
    }

    /** The server has gone: accepted messages are dropped. */
    void dropAccepted(UnexpectedStream stream) {
        doomMoving(stream);
        IntrusiveList<UnexpectedBlock> list = stream.accepted;
        for (UnexpectedBlock block = list.poll(); block != null; block = list.poll()) {
            state.count(block.client, EngineCounter.UNEXPECTED_DROPPED);
            release(block);
        }
    }

    /** Frees all blocks that a server had. */
    void reclaim(IntrusiveList<UnexpectedBlock> list) {
        for (UnexpectedBlock block = list.poll(); block != null; block = list.poll()) {
            release(block);
        }
    }

    /** Sets aside the blocks of a server that may still write to them. */
    void strand() {
        IntrusiveList<UnexpectedBlock> lent = state.server.lent;
        for (UnexpectedBlock block = lent.poll(); block != null; block = lent.poll()) {
            block.state = UnexpectedBlock.State.STRANDED;
            state.server.stranded.addLast(block);
        }
    }

    private void putBack(
            GrantStream of,
            @Nullable Operation operation,
            @Nullable Operation ofServer,
            @Nullable UnexpectedBlock block) {
        UnexpectedStream stream = (UnexpectedStream) of;
        if (operation == null || block == null) {
            throw new IllegalStateException("not the grant of an unexpected message");
        }
        if (block.state == UnexpectedBlock.State.MOVING) {
            stream.accepted.remove(block);
        }
        release(block);
        stream.pending.addFirst(operation);
    }
}
