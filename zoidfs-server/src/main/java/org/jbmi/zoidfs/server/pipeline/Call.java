package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.BmiException;
import org.jbmi.PeerAddress;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.observe.ServedFileCallEvent;
import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** A request on its way through the stages. Owned by one stage at a time. */
final class Call {
    /** What clients of this project ask beside the operations. */
    enum Question {
        /** An operation is meant. */
        NONE,
        /** What the server counted. */
        REPORT,
        /** How long a message of data may be. */
        LONGEST_MESSAGE
    }

    final PeerAddress peer;
    final int tag;

    /** Whether its reply is on its way; there is one at most. Owned by the ordering stage. */
    boolean replied;

    /** The length of its reply, once there is one. Read by who lets go last. */
    int replyBytes;

    /** Where its time goes. */
    final Clock clock;

    /** What it asks beside the operations. */
    Question question = Question.NONE;

    /** Tells the flight recorder of it, or null if nobody records. */
    private final @Nullable ServedFileCallEvent event = ServedFileCallEvent.begun();

    /** What the decoder found wrong; OK for a request that can be run. */
    int status = Status.OK;

    private @Nullable Request request;

    /** What keeps it: the work on it, and its reply. */
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

    /** What was asked for, or null for garbage. */
    @Nullable Operation operation() {
        return request == null ? null : request.operation();
    }

    /** Tells the flight recorder that it is answered, if anybody records. */
    void record(int answeredStatus, long sizeBytes) {
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

    /** Ends all that its client has under way, and its connection. */
    void dropPeer() {
        try {
            peer.drop();
        } catch (BmiException e) {
            // It was forgotten before.
        }
    }

    /** Lets go once; true for the last time. */
    boolean letGo() {
        return holds.decrementAndGet() == 0;
    }

    /**
     * Where the time of a call goes. Each moment counts once: for the disk while something of it is
     * there, else for the link while a message of data is under way, else for queues. What the
     * workers did not spend at the disk was a queue too. Owned by the ordering stage.
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

        /** Something is back; the system calls took so long. */
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

        /** It is answered; the times below are those until now. */
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
