package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.Options;
import org.jbmi.PeerAddress;
import org.jbmi.spi.HashMaps;
import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.spi.LinkedNode;
import org.jbmi.zoidfs.protocol.LongList;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.files.ReplyRoom;
import org.jbmi.zoidfs.server.observe.Fault;
import org.jbmi.zoidfs.server.observe.ServedFileCallEvent;
import org.jbmi.zoidfs.server.observe.ServerCounters;
import org.jbmi.zoidfs.server.observe.ServerLog;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** A request on its way through the stages. Owned by one stage at a time. */
final class Call extends LinkedNode {
    /** Requests of this project's clients that are not operations of the protocol. */
    enum Question {
        /** A request of the protocol. */
        NONE,
        /** The server's counters. */
        REPORT,
        /** The longest message of data. */
        LONGEST_MESSAGE
    }

    /** Every method allows messages of this length. */
    static final long PLAIN_BYTES = 64 << 10;

    /** One thread of one client, which has one call at a time. */
    private record ClientThread(long peer, int tag) {}

    /**
     * The calls under way, each with later calls of the same thread of its client. Owned by the
     * ordering stage.
     */
    static final class Threads {
        private final Map<ClientThread, IntrusiveQueue<Call>> calls =
                HashMaps.prepared(new HashMap<>());

        /** Whether a call may begin; if not, it waits for earlier ones of its thread. */
        boolean mayBegin(Call call) {
            ClientThread thread = new ClientThread(call.peer.id(), call.tag);
            IntrusiveQueue<Call> behind = calls.get(thread);
            if (behind != null) {
                behind.addLast(call);
                call.thread = thread;
                return false;
            }
            // Before the call is in the map: it may be there though this throws.
            call.thread = thread;
            calls.put(thread, new IntrusiveQueue<>());
            return true;
        }

        /**
         * A call is answered: the next one of its thread, which begins now, or null. Takes no
         * memory, because a thread whose next call does not begin would wait for ever.
         */
        @Nullable Call next(Call call) {
            ClientThread thread = call.thread;
            IntrusiveQueue<Call> behind = thread == null ? null : calls.get(thread);
            Call next = behind == null ? null : behind.poll();
            if (thread != null && next == null) {
                calls.remove(thread);
            }
            return next;
        }
    }

    final PeerAddress peer;
    final int tag;

    /** Whose call it is; null before it waits for its turn. Owned by the ordering stage. */
    private @Nullable ClientThread thread;

    /** Whether its reply is posted; there is at most one. Owned by the ordering stage. */
    boolean replied;

    /** The call that ended before it and has its slot still; set when this one has ended. */
    @Nullable Call overBefore;

    /** The client whose slot it holds; null before it may begin. Owned by the poller. */
    Poller.CallSlots.@Nullable Share slot;

    /**
     * The share of a directory list, 0 before there is a share and after the reply is made. The
     * user that releases the call last reads it.
     */
    private long listBytes;

    /**
     * The length of the reply in bytes, 0 before there is a reply. The user that releases the call
     * last reads it.
     */
    private int replyBytes;

    /** How its time divides between queues, disk and link. */
    final Clock clock;

    /** Which question the request asks; NONE for a request of the protocol. */
    Question question = Question.NONE;

    /** The flight recorder's event, or null if it does not record. */
    private final @Nullable ServedFileCallEvent event = ServedFileCallEvent.begun();

    /** The decoder's result; OK for a request that can be run. */
    int status = Status.OK;

    private @Nullable Request request;

    /** The number of its users: the work on it, and its reply. */
    private final AtomicInteger holds = new AtomicInteger(2);

    Call(PeerAddress peer, int tag, long arrivalNs) {
        this.peer = peer;
        this.tag = tag;
        this.clock = new Clock(arrivalNs);
    }

    void decoded(Request found) {
        request = found;
    }

    /** The request; only for a call whose status is OK after decoding. */
    Request request() {
        return Objects.requireNonNull(request);
    }

    /** The requested operation, or null if the request cannot be decoded. */
    @Nullable Operation operation() {
        return request == null ? null : request.operation();
    }

    /** Its reply is made: counts it. */
    void answered(Reply reply, ServerCounters counters) {
        clock.stop();
        counters.answered(
                operation(), reply.status(), clock.queueNs(), clock.diskNs(), clock.linkNs());
        LongList sizes = reply.sizes();
        record(reply.status(), sizes == null ? 0 : sizes.sum());
    }

    /** Records its answer in the flight recorder. */
    private void record(int answeredStatus, long sizeBytes) {
        if (event != null) {
            Operation operation = operation();
            event.operation = operation == null ? "malformed" : operation.label();
            event.client = peer.displayName();
            event.status = answeredStatus;
            event.sizeBytes = sizeBytes;
            event.queueNs = clock.queueNs();
            event.diskNs = clock.diskNs();
            event.linkNs = clock.linkNs();
            event.commit();
        }
    }

    /** Takes its share of the room for replies, if it makes a list. */
    void reserve(ReplyRoom room) {
        if (operation() == Operation.READDIR) {
            listBytes = room.reserve();
        }
    }

    /** How long its list may be, in bytes, if it makes one. */
    long listBytes() {
        return listBytes;
    }

    /** Its reply is made: takes the room of that, and gives the share of a list back. */
    void replied(ReplyRoom room, int bytes) {
        replyBytes = bytes;
        room.take(bytes);
        room.give(listBytes);
        listBytes = 0;
    }

    /** It is over: gives back what it holds of the room, also if it got no reply. */
    void leave(ReplyRoom room) {
        room.give(replyBytes + listBytes);
    }

    /** How long a message to or from its client may be. */
    long longestMessageBytes(Bmi bmi) {
        try {
            return bmi.getOption(peer, Options.MAX_EXPECTED_BYTES);
        } catch (BmiException e) {
            // The peer was removed: its posts will fail.
            return PLAIN_BYTES;
        }
    }

    /**
     * A message to or from its client was not moved, or its reply was not. A client that lives
     * would wait for it, so the server disconnects it. ECANCEL says that the server closes, or that
     * the peer was removed before.
     */
    void lost(ErrorCode code) {
        if (code != ErrorCode.ECANCEL) {
            dropPeer();
        }
    }

    /** Disconnects its client and ends the client's operations. */
    void dropPeer() {
        drop(peer);
    }

    /**
     * Disconnects a client and ends its operations. If there is no memory for that, the client
     * waits for its timeout; who calls this has places to free.
     */
    static void drop(PeerAddress peer) {
        try {
            peer.drop();
        } catch (BmiException e) {
            // The peer was removed before.
        } catch (OutOfMemoryError e) {
            ServerLog.failed(Fault.DISCONNECT, e);
        }
    }

    /** Releases it for one of its users; true for the last one. */
    boolean letGo() {
        return holds.decrementAndGet() == 0;
    }

    /**
     * Divides the time of a call. Each moment counts once. It counts for the disk while a worker
     * has a part of the call. Otherwise it counts for the link while a data message is under way.
     * All other time counts for queues. Time with a worker, but outside of system calls, counts for
     * queues. Owned by the ordering stage.
     */
    static final class Clock {
        private long sinceNs;
        private int atDisk;
        private int onLink;
        private long nearDiskNs;
        private long linkNs;
        private long queueNs;
        private long workedNs;

        Clock(long arrivalNs) {
            sinceNs = arrivalNs;
        }

        private void advance() {
            long now = System.nanoTime();
            long spent = now - sinceNs;
            sinceNs = now;
            if (atDisk > 0) {
                nearDiskNs += spent;
            } else if (onLink > 0) {
                linkNs += spent;
            } else {
                queueNs += spent;
            }
        }

        void toDisk() {
            advance();
            atDisk++;
        }

        /** A disk task has returned, with the time of its system calls. */
        void fromDisk(long tookNs) {
            advance();
            atDisk--;
            workedNs += tookNs;
        }

        void toLink() {
            advance();
            onLink++;
        }

        void fromLink() {
            advance();
            onLink--;
        }

        /** The call is answered: the times below end now. */
        void stop() {
            advance();
        }

        long diskNs() {
            return Math.min(workedNs, nearDiskNs);
        }

        long linkNs() {
            return linkNs;
        }

        long queueNs() {
            return queueNs + nearDiskNs - diskNs();
        }
    }
}
