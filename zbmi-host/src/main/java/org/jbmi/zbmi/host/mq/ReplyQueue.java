package org.jbmi.zbmi.host.mq;

import org.jbmi.zbmi.link.MessageSource;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;

/**
 * A queue in which the engine answers one call at a time. Its number is in the correlation of the
 * call, so that the engine needs to remember nothing:
 *
 * <pre>
 *   63  62   61        56   55                                    0
 *   +---+---+------------+---------------------------------------+
 *   | 0 | 1 | queue      | number of the call in this queue      |
 *   +---+---+------------+---------------------------------------+
 * </pre>
 *
 * <p>The correlations of calls without a queue of their own have 0 in bit 62.
 */
final class ReplyQueue {
    private static final long MARK = 1L << 62;
    private static final int INDEX_SHIFT = 56;
    private static final int INDEX_MASK = MqNames.MAX_REPLY_QUEUES - 1;
    private static final long CALL_MASK = (1L << INDEX_SHIFT) - 1;

    private final int index;
    private final MqEnd end;
    private final Message elsewhere = new Message();
    private long calls;
    private volatile long correlation;
    private volatile boolean isAnsweredElsewhere;

    ReplyQueue(int index, MqEnd end) {
        this.index = index;
        this.end = end;
    }

    /** The queue that a correlation names, or -1 if it names none. */
    static int indexOf(long correlation) {
        return correlation >>> INDEX_SHIFT >>> 6 == MARK >>> INDEX_SHIFT >>> 6
                ? (int) (correlation >>> INDEX_SHIFT) & INDEX_MASK
                : -1;
    }

    /** Begins the next call; returns its correlation. */
    long nextCall() {
        correlation = MARK | (long) index << INDEX_SHIFT | (++calls & CALL_MASK);
        return correlation;
    }

    /** An answer to the call has come through the event queue. */
    void answerElsewhere(Message answer) {
        elsewhere.copyFrom(answer);
        isAnsweredElsewhere = true;
    }

    /** Whether so: then the engine cannot open this queue, which is not to be used again. */
    boolean isAnsweredElsewhere() {
        return isAnsweredElsewhere;
    }

    /** Receives; a result of {@link MessageSource}. */
    int receive(Message into, long timeoutNs) {
        if (isAnsweredElsewhere) {
            into.copyFrom(elsewhere);
            return MessageSource.RECEIVED;
        }
        int result = end.receive(into, timeoutNs);
        boolean isReply =
                result != MessageSource.RECEIVED
                        || (ServerEvents.isWellFormed(into) && ServerEvents.isReply(into));
        return isReply ? result : MessageSource.BROKEN;
    }

    /** Whether a message answers the call that was begun last. */
    boolean isAnswer(Message reply) {
        return ServerEvents.correlation(reply) == correlation;
    }

    boolean hasMessage() {
        return isAnsweredElsewhere || end.queued() != 0;
    }

    void close() {
        end.close();
    }
}
