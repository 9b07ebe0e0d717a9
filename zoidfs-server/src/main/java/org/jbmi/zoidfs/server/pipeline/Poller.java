package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.spi.HashMaps;
import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.spi.LinkedNode;
import org.jbmi.zoidfs.server.observe.Fault;
import org.jbmi.zoidfs.server.observe.ServerLog;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The thread that takes requests and completions from BMI, and makes BMI's progress. While the
 * ordering stage is idle, this thread runs it too. Then one thread takes and answers a request that
 * needs no disk.
 */
final class Poller {
    private static final int REQUESTS = 128;
    private static final int COMPLETIONS = 256;
    private static final long IDLE_MS = 200;
    private static final long FULL_MS = 2;

    private final Bmi bmi;
    private final CompletionContext context;
    private final Feed feed;
    private final OrderStage order;
    private final Set<Call> calls;
    private final CallSlots slots;

    /** A chain of the calls that have ended, the last one first; it takes no memory. */
    private final AtomicReference<@Nullable Call> over = new AtomicReference<>();

    private final Consumer<Call> letGo;
    private final UnexpectedListener listener;
    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(REQUESTS);
    private final Completions done = Completions.ofCapacity(COMPLETIONS);

    /** How many events this thread has put on the ring to the ordering stage. */
    private long given;

    private volatile boolean accepting = true;
    private volatile boolean running = true;

    Poller(
            Bmi bmi,
            CompletionContext context,
            Feed feed,
            OrderStage order,
            Set<Call> calls,
            int maximumCalls,
            Consumer<Call> letGo) {
        this.bmi = bmi;
        this.context = context;
        this.feed = feed;
        this.order = order;
        this.calls = calls;
        this.slots = new CallSlots(maximumCalls);
        this.letGo = letGo;
        this.listener = bmi.openListener(UnexpectedFilter.ALL);
    }

    void stopAccepting() {
        accepting = false;
    }

    void stop() {
        running = false;
    }

    /** Frees the slot of a call that has ended. Safe for use by any thread. */
    void ended(Call call) {
        Call before;
        do {
            before = over.get();
            call.overBefore = before;
        } while (!over.compareAndSet(before, call));
    }

    /** Takes no lock; also writes nothing while no call has ended. */
    private void freeSlots() {
        Call call = over.get() == null ? null : over.getAndSet(null);
        while (call != null) {
            slots.release(call);
            call = call.overBefore;
        }
    }

    void run() {
        while (running) {
            try {
                int taken = accepting ? takeRequests() : 0;
                begin();
                boolean waiting = slots.hasWaiting() || !accepting;
                // A request that comes during the wait ends it; one that waits already does not.
                takeCompletions(taken == REQUESTS ? 0 : waiting ? FULL_MS : IDLE_MS);
            } catch (BmiException e) {
                if (!running || bmi.isClosed()) {
                    break;
                }
                ServerLog.failed(Fault.POLL, e);
            } catch (RuntimeException | Error e) {
                ServerLog.failed(Fault.REQUEST_TAKEN, e);
            }
        }
        // So that the next server on the same BMI gets the requests that this one has not taken.
        listener.close();
        for (CallSlots.Request left = slots.drain(); left != null; left = slots.drain()) {
            giveBack(left.call.peer, left.message);
        }
    }

    private int takeRequests() {
        int count = listener.test(messages, 0);
        long now = System.nanoTime();
        for (int i = 0; i < count; i++) {
            PeerAddress peer = messages.peer(i);
            MemorySegment message = messages.payload(i);
            try {
                Call call = new Call(peer, messages.tag(i), now);
                if (!slots.add(new CallSlots.Request(call, message, messages.outcome(i)))) {
                    refuse(peer, message);
                }
            } catch (OutOfMemoryError e) {
                refuse(peer, message);
                ServerLog.failed(Fault.REQUEST_TAKEN, e);
            }
        }
        return count;
    }

    /** Disconnects the client of a request that the server does not run. */
    private void refuse(PeerAddress peer, MemorySegment message) {
        Call.drop(peer);
        giveBack(peer, message);
    }

    /** Frees the memory and then the reference of a request that the server does not run. */
    private void giveBack(PeerAddress peer, MemorySegment message) {
        try {
            bmi.unexpectedFree(message);
            peer.release();
        } catch (BmiException e) {
            // The peer was removed, or the server is closing.
        }
    }

    private void begin() {
        freeSlots();
        if (!accepting || !slots.hasWaiting()) {
            return;
        }
        boolean isStage = order.enter(given);
        try {
            begin(isStage);
        } finally {
            if (isStage) {
                order.leave();
            }
        }
    }

    private void begin(boolean isStage) {
        while (accepting) {
            CallSlots.Request request = slots.next();
            if (request == null) {
                break;
            }
            try {
                calls.add(request.call);
            } catch (OutOfMemoryError e) {
                slots.release(request.call);
                refuse(request.call.peer, request.message);
                ServerLog.failed(Fault.REQUEST_BEGUN, e);
                // The set may have it, though there was no memory to count it.
                calls.remove(request.call);
                continue;
            }
            if (isStage) {
                order.request(request.call, request.message, request.outcome);
            } else {
                given++;
                feed.request(request.call, request.message, request.outcome);
            }
        }
    }

    private void takeCompletions(long idleMs) {
        int count = context.testContext(done, idleMs);
        if (count == 0) {
            return;
        }
        boolean isStage = order.enter(given);
        try {
            tell(count, isStage);
        } finally {
            if (isStage) {
                order.leave();
            }
        }
    }

    private void tell(int count, boolean isStage) {
        for (int k = 0; k < count; k++) {
            try {
                tellOne(k, isStage);
            } catch (RuntimeException | Error e) {
                // BMI reports each completion once, so the others must not be lost with this one.
                ServerLog.failed(Fault.EVENT, e);
            }
        }
    }

    private void tellOne(int k, boolean isStage) {
        Object subject = done.userData(k);
        if (subject instanceof DataMove move) {
            if (isStage) {
                order.moved(move, done.outcome(k), done.sizeBytes(k));
            } else {
                given++;
                feed.moved(move, done.outcome(k), done.sizeBytes(k));
            }
        } else if (subject instanceof Call call) {
            if (done.outcome(k) != ErrorCode.SUCCESS) {
                call.lost(done.outcome(k));
            }
            letGo.accept(call);
        }
    }

    /**
     * Shares the places for calls under way between clients, which take turns. One client has at
     * most half of the places that are free or its own, so that a client with none gets one. A
     * waiting request stays in the bounded memory of its method. Owned by the poller.
     */
    static final class CallSlots {
        /**
         * Clients of the protocol send one call for each of 65 536 tags. The server disconnects a
         * client that sends more.
         */
        static final int MAX_WAITING = 65_536;

        /** A request with its message as it came. */
        static final class Request extends LinkedNode {
            final Call call;
            final MemorySegment message;
            final ErrorCode outcome;

            Request(Call call, MemorySegment message, ErrorCode outcome) {
                this.call = call;
                this.message = message;
                this.outcome = outcome;
            }
        }

        /** One client. Its calls have it, since a look-up would take memory. */
        static final class Share {
            private final Long client;
            private final IntrusiveQueue<Request> waiting = new IntrusiveQueue<>();
            private int held;

            Share(Long client) {
                this.client = client;
            }
        }

        private final SequencedMap<Long, Share> shares = HashMaps.prepared(new LinkedHashMap<>());
        private int free;
        private int waiting;

        CallSlots(int maximum) {
            this.free = maximum;
        }

        /** Adds a request; false if its client has more waiting than any client needs. */
        boolean add(Request request) {
            Share share = shares.computeIfAbsent(request.call.peer.id(), Share::new);
            if (share.waiting.size() >= MAX_WAITING) {
                return false;
            }
            share.waiting.addLast(request);
            waiting++;
            return true;
        }

        /** The next request that may begin, which then holds a slot, or null. */
        @Nullable Request next() {
            if (waiting == 0 || free == 0) {
                return null;
            }
            for (Share share : shares.values()) {
                Request request = share.waiting.first();
                if (request != null
                        && (share.held == 0 || share.held + 1 <= (free + share.held) / 2)) {
                    share.waiting.poll();
                    waiting--;
                    request.call.slot = share;
                    share.held++;
                    free--;
                    // To the end of the round.
                    shares.putLast(share.client, share);
                    return request;
                }
            }
            return null;
        }

        /** A call that holds a slot is over. Takes no memory, so that no slot is lost. */
        void release(Call call) {
            free++;
            Share share = Objects.requireNonNull(call.slot);
            share.held--;
            if (share.held == 0 && share.waiting.isEmpty()) {
                shares.remove(share.client);
            }
        }

        /** Whether requests wait. */
        boolean hasWaiting() {
            return waiting > 0;
        }

        /** Removes a waiting request, whatever the shares are; null if there is none. */
        @Nullable Request drain() {
            for (Share share : shares.values()) {
                Request request = share.waiting.poll();
                if (request != null) {
                    waiting--;
                    return request;
                }
            }
            return null;
        }
    }
}
