package org.jbmi.zbmi.engine;

import org.jbmi.spi.IntrusiveList;
import org.jbmi.zbmi.engine.state.ClientSession;
import org.jbmi.zbmi.engine.state.EngineState;
import org.jbmi.zbmi.engine.state.Grant;
import org.jbmi.zbmi.engine.state.GrantStream;
import org.jbmi.zbmi.engine.state.MatchQueue;
import org.jbmi.zbmi.engine.state.Operation;
import org.jbmi.zbmi.engine.state.TagQueue;
import org.jbmi.zbmi.engine.state.Timed;
import org.jbmi.zbmi.engine.state.UnexpectedBlock;
import org.jbmi.zbmi.engine.state.UnexpectedStream;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.TagBits;
import org.jspecify.annotations.Nullable;

/**
 * Checks the invariants of an engine between two events: counts, links in both directions, and that
 * nothing which could go on is left. For tests and simulations; takes time in proportion to what is
 * pending, and changes nothing.
 */
public final class EngineAudit {
    private final EngineState state;
    private final Unexpected unexpected;
    private int operations;
    private int waiting;

    /**
     * Makes one.
     *
     * @param engine to be checked; between two calls of its methods
     */
    public EngineAudit(Engine engine) {
        this.state = engine.state();
        this.unexpected = engine.unexpected();
    }

    /**
     * Checks everything.
     *
     * @throws IllegalStateException that says what does not hold
     */
    public void check() {
        waiting = 0;
        operations = countOwned(state.server.operations);
        for (int i = 1; i <= state.maxClient(); i++) {
            check(state.client(i));
        }
        require(state.operations.inUse() == operations, "an operation belongs to nobody");
        require(unexpected.waiting() == waiting, "the ring of those who wait for memory is wrong");
        if (state.server.isAttached && !unexpected.isServiceDue()) {
            require(!unexpected.couldServe(), "somebody waits for memory while there is some");
        }
        require(state.server.orphanMovers >= 0, "more transfers have ended than began");
    }

    /**
     * Checks that nothing is left in an engine without peers.
     *
     * @throws IllegalStateException that says what is left
     */
    public void checkEmpty() {
        check();
        require(state.operations.inUse() == 0, "operations are left");
        require(unexpected.region().liveBlocks() == 0, "blocks of unexpected messages are left");
        require(
                unexpected.region().freeChunks() == unexpected.region().chunkCount(),
                "memory for unexpected messages is lost");
        for (int i = 1; i <= state.maxClient(); i++) {
            require(!state.client(i).lentSlots.isAny(), "slots are still lent");
        }
        require(state.server.orphanMovers == 0, "transfers are left");
        require(state.deadlines.isEmpty(), "deadlines are left");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }

    private void check(ClientSession client) {
        operations += countOwned(client.operations);
        int windows = checkTags(client);
        checkWaitingSends(client);
        checkHandOvers(client);
        checkKept(client);
        checkLent(client);
        checkGrants(client, windows + (hasWindow(client.unexpected) ? 1 : 0));
        checkCalls(client);
        checkUnexpected(client);
        waiting += client.unexpected.waitsForMemory() ? 1 : 0;
    }

    private static boolean hasWindow(GrantStream stream) {
        return stream.window != GrantStream.NO_WINDOW;
    }

    private static int countOwned(IntrusiveList<Operation.Registration> owned) {
        int count = 0;
        for (Operation.Registration at = owned.first(); at != null; at = owned.next(at)) {
            Operation o = at.operation;
            require(o.state != Operation.State.FREE, "an operation is free and owned");
            boolean isGranted = o.state == Operation.State.GRANTED;
            require((o.grant != null) == isGranted, "an operation is granted without a grant");
            require(
                    !o.isNoted || isSame(o.client().noted.find(o.reference), o),
                    "a receive is not found by its reference");
            count++;
        }
        require(owned.size() == count, "an owner has lost count of its operations");
        return count;
    }

    private static int checkTags(ClientSession client) {
        int windows = 0;
        IntrusiveList<TagQueue> tags = client.tags.inUse;
        for (TagQueue tag = tags.first(); tag != null; tag = tags.next(tag)) {
            require(!tag.isEmpty(), "an empty queue has not left the table");
            require(isSame(client.tags.get(tag.tag), tag), "a queue is not found by its tag");
            checkQueue(tag.towardServer);
            checkQueue(tag.towardClient);
            windows += hasWindow(tag.towardServer) ? 1 : 0;
            windows += hasWindow(tag.towardClient) ? 1 : 0;
        }
        return windows;
    }

    /**
     * Checks what the segment tells a client.
     *
     * @param client its session
     * @param sendTags the word of the sends that wait for it
     * @param keeps the word of its messages that are kept
     * @param returned the word of the slots that it had lent
     * @throws IllegalStateException that says what does not hold
     */
    public void checkWords(int client, long sendTags, int keeps, long returned) {
        ClientSession told = state.client(client);
        require(
                told.waitingSends.bits() == sendTags,
                "a client is not told on which tags sends wait");
        require(told.kept.word() == keeps, "a client is not told whether its messages are kept");
        require(
                told.lentSlots.word() == returned,
                "a client is not told which of its slots are back");
    }

    /**
     * Checks how many data slots a client has given back.
     *
     * @param client its session
     * @param back what it has counted
     * @param isAtRest whether it has read all messages, and acts on none
     * @throws IllegalStateException that says what does not hold
     */
    public void checkDataSlots(int client, long back, boolean isAtRest) {
        long left = state.client(client).dataSlots.filled() - back;
        require(
                left >= 0 && left <= (isAtRest ? 0 : SessionArea.DATA_SLOTS),
                "a client has not given back all data slots, or too many");
    }

    /**
     * The sessions without a client, which no client gets because the server has messages there.
     *
     * @return how many
     */
    public int keptSessions() {
        int count = 0;
        for (int i = 1; i <= state.maxClient(); i++) {
            ClientSession client = state.client(i);
            count += client.state == ClientSession.State.FREE && client.lentSlots.isAny() ? 1 : 0;
        }
        return count;
    }

    private void checkLent(ClientSession client) {
        int count = 0;
        for (int slot = 0; slot < state.limits.eagerSlots(); slot++) {
            long offset = state.limits.eagerPlaces().offset(client.index, slot);
            UnexpectedBlock block = client.lentSlots.find(offset);
            boolean isUsed = block != null && block.state != UnexpectedBlock.State.FREE;
            require(isUsed == client.lentSlots.isLent(slot), "a slot is lent for nothing");
            count += isUsed ? 1 : 0;
        }
        IntrusiveList<Operation> pending = client.unexpected.pending;
        for (Operation o = pending.first(); o != null; o = pending.next(o)) {
            UnexpectedBlock block = o.place;
            require(
                    block == null
                            || (o.isKept
                                    && block.state == UnexpectedBlock.State.WHOLE
                                    && block.bytes == o.bytes),
                    "a message is kept in a slot that is not its own");
            count -= block == null ? 0 : 1;
        }
        count -= slotsIn(client.unexpected.accepted, client);
        count -= slotsIn(state.server.lent, client) + slotsIn(state.server.stranded, client);
        require(count == 0, "a slot is lent, and nobody has it");
    }

    private static int slotsIn(IntrusiveList<UnexpectedBlock> list, ClientSession client) {
        int count = 0;
        for (UnexpectedBlock at = list.first(); at != null; at = list.next(at)) {
            count += at.slot >= 0 && at.client == client.index ? 1 : 0;
        }
        return count;
    }

    private void checkKept(ClientSession client) {
        int count = 0;
        IntrusiveList<Operation> pending = client.unexpected.pending;
        for (Operation o = pending.first(); o != null; o = pending.next(o)) {
            count += o.isKept ? 1 : 0;
        }
        require(client.kept.count() == count, "a client has lost count of what is kept");
        boolean isServed = state.server.isAttached && client.state == ClientSession.State.LIVE;
        int open = isServed ? SessionArea.KEEPS_ALL : 0;
        require(
                client.kept.word() == (count > 0 ? SessionArea.KEEPS_SOME : open),
                "a client thinks that more is kept, or less");
    }

    private static void checkHandOvers(ClientSession client) {
        int count = 0;
        IntrusiveList<TagQueue> tags = client.tags.inUse;
        for (TagQueue tag = tags.first(); tag != null; tag = tags.next(tag)) {
            require(tag.towardServer.handedOver == null, "a client's send is handed over");
            Operation send = tag.towardClient.handedOver;
            if (send != null) {
                count++;
                require(send.state == Operation.State.HANDED_OVER, "a doubt about nothing");
                require(client.doubtful.contains(tag.towardClient), "a doubt nobody ends");
                require(
                        tag.towardClient.handedAfter - client.cancelsHeard > 0,
                        "a doubt outlives the cancels that it is about");
            }
        }
        require(client.doubtful.size() == count, "a client has lost count of its doubts");
        require(count <= SessionArea.WINDOWS, "a client holds too many sends in doubt");
    }

    private static void checkWaitingSends(ClientSession client) {
        int[] shown = new int[TagBits.PLACES];
        IntrusiveList<TagQueue> tags = client.tags.inUse;
        for (TagQueue tag = tags.first(); tag != null; tag = tags.next(tag)) {
            MatchQueue queue = tag.towardClient;
            boolean isWaiting = queue.hasUnmatchedSend();
            require(queue.isShown == isWaiting, "a send waits, and its tag does not show it");
            shown[TagBits.place(tag.tag)] += isWaiting ? 1 : 0;
        }
        for (int place = 0; place < shown.length; place++) {
            boolean isSet = (client.waitingSends.bits() >>> place & 1) != 0;
            require(shown[place] == client.waitingSends.queues(place), "a tag is miscounted");
            require(isSet == shown[place] > 0, "the bit of a tag is wrong");
        }
    }

    @SuppressWarnings("ReferenceEquality") // the very object
    private static boolean isSame(@Nullable Object a, @Nullable Object b) {
        return a == b;
    }

    private static void checkQueue(MatchQueue queue) {
        int sends = checkOrder(queue.sends);
        int receives = checkOrder(queue.receives);
        int pairs = Math.min(sends, receives);
        IntrusiveList<Operation> longer = sends > receives ? queue.sends : queue.receives;
        Operation unpaired = longer.first();
        for (int i = 0; i < pairs && unpaired != null; i++) {
            require(queue.isPaired(unpaired), "a pair is not known for one");
            unpaired = longer.next(unpaired);
        }
        Operation send = queue.partnerForNext(Operation.Kind.RECEIVE);
        Operation receive = queue.partnerForNext(Operation.Kind.SEND);
        require(isSame(send, sends > receives ? unpaired : null), "the next send is another one");
        require(
                isSame(receive, receives > sends ? unpaired : null),
                "the next receive is another one");
        require(unpaired == null || !queue.isPaired(unpaired), "a partner that is not there");
        ClientSession client = queue.client;
        if (pairs == 0) {
            require(!queue.isListed(), "a queue without a pair is ready");
            return;
        }
        boolean isInDoubt = queue.handedOver != null;
        require(
                queue.isListed() || queue.inWindow.size() > 0 || isInDoubt,
                "nobody looks after a pair");
        require(!queue.isListed() || !isInDoubt, "a queue in doubt does not stand still");
        boolean couldGoOn =
                queue.isListed()
                        && client.isInCall()
                        && client.hasFreeGrant()
                        && client.isListening();
        require(!couldGoOn, "a pair could go on and does not");
    }

    private static int checkOrder(IntrusiveList<Operation> list) {
        int count = 0;
        for (Operation o = list.first(), next; o != null; o = next) {
            next = list.next(o);
            require(o.state == Operation.State.QUEUED, "an operation is queued and is not");
            require(
                    next == null || o.arrival < next.arrival,
                    "a queue is not in the order of arrival");
            count++;
        }
        return count;
    }

    private static void checkGrants(ClientSession client, int windowsOfStreams) {
        long windows = 0;
        for (Grant grant : client.grants) {
            if (!grant.inUse) {
                continue;
            }
            GrantStream stream = grant.stream();
            require(isSame(stream.client, client), "a grant of another client");
            if (!grant.claimed) {
                require(hasWindow(stream), "an open grant has no window");
                windows |= 1L << stream.window;
            }
            if (grant.clientOperation == null) {
                require(
                        client.state == ClientSession.State.EVICTED,
                        "a client that lives has lost its operation");
            }
        }
        require(Long.bitCount(windows) == windowsOfStreams, "a window is shared, or empty");
    }

    private static void checkCalls(ClientSession client) {
        int held = 0;
        IntrusiveList<Operation.Registration> owned = client.operations;
        for (Operation.Registration at = owned.first(); at != null; at = owned.next(at)) {
            Operation o = at.operation;
            boolean isScheduled = at.heapIndex != Timed.NOT_SCHEDULED;
            require(isScheduled || !o.isCallOpen(), "a call is open that nobody will answer");
            require(!isScheduled || o.isCallOpen() || o.expires, "a deadline for nothing");
            held += o.isCallOpen() ? 1 : 0;
        }
        require(client.heldCalls == held, "a client has lost count of its calls");
        require(
                client.isArmed == (client.heapIndex != Timed.NOT_SCHEDULED),
                "a wait without an end");
    }

    // When it took its last chunk, at least as much free memory was left to others.
    private void checkShare(UnexpectedStream stream) {
        int held = stream.heldChunks;
        require(
                held <= 1 || 2 * held <= unexpected.region().chunkCount(),
                "a client holds more than half of the unexpected memory");
    }

    private void checkUnexpected(ClientSession client) {
        UnexpectedStream stream = client.unexpected;
        checkShare(stream);
        Operation head = stream.pending.first();
        checkOrder(stream.pending);
        if (stream.waitsForMemory()) {
            require(head != null, "a client waits for memory for nothing");
        } else if (head != null && client.isListening() && state.server.isAttached) {
            boolean isHeldUp =
                    head.isHere()
                            ? stream.inWindow.size() > 0
                            : !client.isInCall() || !client.hasFreeGrant();
            require(isHeldUp, "an unexpected message could be accepted and is not");
            require(
                    head.isHere() || !client.isInCall() || stream.isListed(),
                    "an unexpected message has no place among all that waits for a grant");
        }
        UnexpectedBlock first = stream.accepted.first();
        require(
                first == null || first.state == UnexpectedBlock.State.MOVING,
                "an unexpected message is whole and next, and not handed over");
    }
}
