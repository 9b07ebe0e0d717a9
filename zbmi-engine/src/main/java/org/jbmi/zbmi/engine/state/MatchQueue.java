package org.jbmi.zbmi.engine.state;

import org.jbmi.spi.IntrusiveList;
import org.jspecify.annotations.Nullable;

/**
 * The sends and the receives of one client, one tag and one direction, each in the order in which
 * they came. They wait to be moved. The n-th send belongs to the n-th receive. Pairs stay here
 * while their client is in no call to move bytes, so that either side can still cancel.
 *
 * <p>{@link #firstUnpaired} is the oldest operation without a partner, so the partner of the next
 * operation is known without counting. The engine needs to know it: it must refuse a receive that
 * is too small for the message that waits for it. Every method is O(1). The queue is listed while
 * it is ready and waits for its client.
 */
public final class MatchQueue extends GrantStream {
    public final TagQueue owner;
    public final boolean towardServer;
    public final IntrusiveList<Operation> sends = new IntrusiveList<>();
    public final IntrusiveList<Operation> receives = new IntrusiveList<>();
    private @Nullable Operation firstUnpaired;

    /** Whether its unmatched send counts in the {@link WaitingSends}. */
    public boolean isShown;

    /** The send that is handed over and in doubt: see {@code HandOvers}. */
    public @Nullable Operation handedOver;

    /** The reference of the receive that the send was given to. */
    public long handedTo;

    /** How many cancels the client had begun at that time. */
    public long handedAfter;

    public MatchQueue(ClientSession client, TagQueue owner, boolean towardServer) {
        super(client);
        this.owner = owner;
        this.towardServer = towardServer;
    }

    public boolean isEmpty() {
        return sends.isEmpty() && receives.isEmpty() && outstanding == 0 && handedOver == null;
    }

    public boolean hasPair() {
        return !sends.isEmpty() && !receives.isEmpty();
    }

    /** Whether a send waits for a receive that has not come. */
    public boolean hasUnmatchedSend() {
        return sends.size() > receives.size();
    }

    public @Nullable Operation firstOfServer() {
        return towardServer ? receives.first() : sends.first();
    }

    /** The operation that one of this kind would be paired with if it came now. */
    public @Nullable Operation partnerForNext(Operation.Kind kind) {
        return own(kind).size() < other(kind).size() ? firstUnpaired : null;
    }

    /** Whether an operation has a partner, even if it has to wait for its client. */
    public boolean isPaired(Operation operation) {
        Operation unpaired = firstUnpaired;
        boolean longer = own(operation.kind).size() > other(operation.kind).size();
        return !longer || unpaired == null || operation.arrival < unpaired.arrival;
    }

    public void append(Operation operation) {
        IntrusiveList<Operation> mine = own(operation.kind);
        IntrusiveList<Operation> theirs = other(operation.kind);
        boolean findsPartner = mine.size() < theirs.size();
        boolean isFirstUnpaired = mine.size() == theirs.size();
        mine.addLast(operation);
        if (findsPartner) {
            firstUnpaired = next(theirs, firstUnpaired);
        } else if (isFirstUnpaired) {
            firstUnpaired = operation;
        }
    }

    /** Puts back the operation that was taken out last at the front. */
    public void prepend(Operation operation) {
        IntrusiveList<Operation> mine = own(operation.kind);
        IntrusiveList<Operation> theirs = other(operation.kind);
        boolean takesPartner = mine.size() < theirs.size();
        mine.addFirst(operation);
        if (takesPartner) {
            firstUnpaired = next(theirs, firstUnpaired);
        } else {
            firstUnpaired = firstUnpaired == null ? mine.last() : mine.previous(firstUnpaired);
        }
    }

    public void remove(Operation operation) {
        IntrusiveList<Operation> mine = own(operation.kind);
        IntrusiveList<Operation> theirs = other(operation.kind);
        Operation unpaired = firstUnpaired;
        if (mine.size() > theirs.size()) {
            if (unpaired != null && operation.arrival <= unpaired.arrival) {
                firstUnpaired = mine.next(unpaired);
            }
        } else {
            firstUnpaired = unpaired == null ? theirs.last() : theirs.previous(unpaired);
        }
        mine.remove(operation);
    }

    private static @Nullable Operation next(
            IntrusiveList<Operation> list, @Nullable Operation operation) {
        return operation == null ? null : list.next(operation);
    }

    private IntrusiveList<Operation> own(Operation.Kind kind) {
        return kind == Operation.Kind.SEND ? sends : receives;
    }

    private IntrusiveList<Operation> other(Operation.Kind kind) {
        return kind == Operation.Kind.SEND ? receives : sends;
    }
}
