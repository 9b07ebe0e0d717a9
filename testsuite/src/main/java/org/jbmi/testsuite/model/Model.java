package org.jbmi.testsuite.model;

import org.jbmi.ErrorCode;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rules for every method, without time and without bytes. Sends and receives of one {@link Way}
 * match first in, first out. An operation without a match is pending; only a match, a cancel or the
 * end of its peer ends it. The rules:
 *
 * <ul>
 *   <li>A send matches the oldest receive that waits. If it fits, both succeed with its size. If
 *       not, the receive ends with EMSGSIZE, the message is dropped, and the send succeeds.
 *   <li>A receive matches the oldest send that waits. If that does not fit, the receive is refused
 *       with EPROTO and the send keeps waiting.
 *   <li>A cancel ends a pending operation with ECANCEL, and does nothing to one that is done.
 *   <li>Unexpected messages of a client are taken in the order in which it sent them.
 *   <li>When a client leaves, the server's operations with it that are pending fail.
 * </ul>
 */
public final class Model {
    /** The state of an operation. */
    public enum State {
        /** It has no match. */
        PENDING,
        /** It is over. */
        DONE,
        /** Its peer has gone: it is over with a code that says so. */
        ABANDONED
    }

    /** An operation. */
    public static final class Op {
        private final int number;
        private final Way way;
        private final boolean receives;
        private final int sizeBytes;
        private State state = State.PENDING;
        private int error;
        private int movedBytes;
        private int messageNumber;

        Op(int number, Way way, boolean receives, int sizeBytes) {
            this.number = number;
            this.way = way;
            this.receives = receives;
            this.sizeBytes = sizeBytes;
        }

        private void ends(int withError, int withBytes) {
            state = State.DONE;
            error = withError;
            movedBytes = withBytes;
        }

        /** {@return its place in the program, from 0} */
        public int number() {
            return number;
        }

        /** {@return where it sends to or receives from} */
        public Way way() {
            return way;
        }

        /** {@return whether it is a receive, not a send} */
        public boolean receives() {
            return receives;
        }

        /** {@return the size of the message, or the room for it, in bytes} */
        public int sizeBytes() {
            return sizeBytes;
        }

        /** {@return how it stands} */
        public State state() {
            return state;
        }

        /** {@return the code that it ended with, 0 or less} */
        public int error() {
            return error;
        }

        /** {@return what it moved, in bytes; 0 unless it succeeded} */
        public int movedBytes() {
            return movedBytes;
        }

        /**
         * {@return the number of the send whose message it has; meaningful for a receive that
         * succeeded}
         */
        public int messageNumber() {
            return messageNumber;
        }

        @Override
        public String toString() {
            String kind = receives ? "receive " : "send ";
            String outcome = state == State.DONE ? " " + movedBytes + " error " + error : "";
            return kind + number + " (" + way + ", " + sizeBytes + " bytes): " + state + outcome;
        }
    }

    /** An unexpected message that was sent and not taken. */
    record Letter(int number, int client, int tag, int sizeBytes) {}

    private final List<Op> all = new ArrayList<>();
    private final Map<Way, Deque<Op>> sends = new HashMap<>();
    private final Map<Way, Deque<Op>> receives = new HashMap<>();
    private final Map<Integer, Deque<Letter>> letters = new HashMap<>();
    private int numbers;

    /** Nothing was posted. */
    public Model() {}

    private static Deque<Op> queue(Map<Way, Deque<Op>> queues, Way way) {
        return queues.computeIfAbsent(way, key -> new ArrayDeque<>());
    }

    private Op add(Way way, boolean isReceive, int sizeBytes) {
        Op op = new Op(numbers++, way, isReceive, sizeBytes);
        all.add(op);
        return op;
    }

    /**
     * A send is posted.
     *
     * @param way where to
     * @param sizeBytes of the message
     * @return the operation as it stands now
     */
    public Op send(Way way, int sizeBytes) {
        Op send = add(way, false, sizeBytes);
        Op receive = queue(receives, way).poll();
        if (receive == null) {
            queue(sends, way).add(send);
        } else if (receive.sizeBytes < sizeBytes) {
            receive.ends(ErrorCode.EMSGSIZE.negativeValue(), 0);
            send.ends(0, sizeBytes);
        } else {
            meet(send, receive);
        }
        return send;
    }

    /**
     * A receive is posted.
     *
     * @param way where from
     * @param sizeBytes room for the message
     * @return the operation as it stands now
     */
    public Op receive(Way way, int sizeBytes) {
        Op receive = add(way, true, sizeBytes);
        Op send = queue(sends, way).peek();
        if (send == null) {
            queue(receives, way).add(receive);
        } else if (send.sizeBytes > sizeBytes) {
            receive.ends(ErrorCode.EPROTO.negativeValue(), 0);
        } else {
            queue(sends, way).remove();
            meet(send, receive);
        }
        return receive;
    }

    private static void meet(Op send, Op receive) {
        send.ends(0, send.sizeBytes);
        receive.ends(0, send.sizeBytes);
        receive.messageNumber = send.number;
    }

    /**
     * An operation is cancelled.
     *
     * @param op any
     */
    public void cancel(Op op) {
        if (op.state == State.PENDING) {
            queue(op.receives ? receives : sends, op.way).remove(op);
            op.ends(ErrorCode.ECANCEL.negativeValue(), 0);
        }
    }

    /**
     * A client sends an unexpected message.
     *
     * @param client which
     * @param tag its tag
     * @param sizeBytes its size
     * @return the message's number
     */
    int letter(int client, int tag, int sizeBytes) {
        Letter letter = new Letter(numbers++, client, tag, sizeBytes);
        letters.computeIfAbsent(client, key -> new ArrayDeque<>()).add(letter);
        return letter.number();
    }

    /** The server takes a message of a client: it must be the oldest. */
    Letter taken(int client) {
        Deque<Letter> of = letters.getOrDefault(client, new ArrayDeque<>());
        if (of.isEmpty()) {
            throw new IllegalStateException("Client " + client + " has sent no more messages.");
        }
        return of.remove();
    }

    /** How many messages wait to be taken. */
    int lettersWaiting() {
        return letters.values().stream().mapToInt(Deque::size).sum();
    }

    /** A client is gone, and nothing that it posted is asked for any more. */
    void leave(int client) {
        for (Op op : all) {
            if (op.way.client() == client && op.state == State.PENDING) {
                queue(op.receives ? receives : sends, op.way).remove(op);
                op.state = State.ABANDONED;
            }
        }
    }

    /** {@return the operations without a match, in the order of their posts} */
    public List<Op> pending() {
        return all.stream().filter(op -> op.state == State.PENDING).toList();
    }
}
