package org.jbmi.testsuite.model;

import org.jbmi.ErrorCode;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rules for every method, without time and without bytes. Sends and receives of one {@link Way}
 * match first in, first out. An operation without a match is pending; only a match, a cancel, its
 * deadline or the end of its peer ends it. The rules:
 *
 * <ul>
 *   <li>A send matches the oldest receive that waits. If it fits, both succeed with its size. If
 *       not, the receive ends with EMSGSIZE, the message is dropped, and the send succeeds.
 *   <li>A receive matches the oldest send that waits. If that does not fit, the receive is refused
 *       with EPROTO and the send keeps waiting.
 *   <li>A cancel ends a pending operation with ECANCEL, and does nothing to one that is done. A
 *       deadline that passes does the same with ETIMEDOUT.
 *   <li>Unexpected messages of a client are taken in the order in which it sent them: those of one
 *       class, or those of all classes.
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
    record Letter(int number, int tag, int messageClass, int sizeBytes) {
        boolean isOf(int wanted) {
            return wanted == Step.Take.ANY || wanted == messageClass;
        }
    }

    private final List<Op> all = new ArrayList<>();
    private final Map<Way, Deque<Op>> sends = new HashMap<>();
    private final Map<Way, Deque<Op>> receives = new HashMap<>();
    private final Map<Integer, List<Letter>> letters = new HashMap<>();
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
        withdraw(op, ErrorCode.ECANCEL);
    }

    /** The deadline of an operation has passed. */
    void expire(Op op) {
        withdraw(op, ErrorCode.ETIMEDOUT);
    }

    private void withdraw(Op op, ErrorCode code) {
        if (op.state == State.PENDING) {
            queue(op.receives ? receives : sends, op.way).remove(op);
            op.ends(code.negativeValue(), 0);
        }
    }

    /**
     * A client sends an unexpected message.
     *
     * @return the message's number
     */
    int letter(Step.Unexpected step) {
        Letter letter = new Letter(numbers++, step.tag(), step.messageClass(), step.sizeBytes());
        letters.computeIfAbsent(step.client(), key -> new ArrayList<>()).add(letter);
        return letter.number();
    }

    /** The server takes a message of a client: it must be the oldest of the class, or of all. */
    Letter taken(int client, int messageClass) {
        List<Letter> of = letters.getOrDefault(client, List.of());
        for (Letter letter : of) {
            if (letter.isOf(messageClass)) {
                of.remove(letter);
                return letter;
            }
        }
        throw new IllegalStateException("Client " + client + " has sent no more messages.");
    }

    /** The classes of the messages that wait to be taken, one for each message. */
    List<Integer> lettersWaiting(int messageClass) {
        return letters.values().stream()
                .flatMap(List::stream)
                .filter(letter -> letter.isOf(messageClass))
                .map(Letter::messageClass)
                .toList();
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

    /** The next to be matched on a way, of its sends or of its receives; null if none waits. */
    @Nullable Op next(Way way, boolean isReceive) {
        return queue(isReceive ? receives : sends, way).peek();
    }

    /** {@return the operations without a match, in the order of their posts} */
    public List<Op> pending() {
        return all.stream().filter(op -> op.state == State.PENDING).toList();
    }
}
