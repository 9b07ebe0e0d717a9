package org.jbmi.zbmi.host.mq;

import org.jbmi.mempool.os.MessageQueues;
import org.jbmi.zbmi.link.MessageSource;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The reply queues of a server: one for each thread that calls at a time, reused, as many as the
 * machine allows. A caller without one shares the event queue.
 *
 * <p>If a caller leaves before its answer comes, the dispatching thread polls the queue. The queue
 * is reused only after the answer. So it holds one answer at most, and no caller gets another's.
 *
 * <p>Where the engine cannot open a queue, say because its process has no descriptor left, the
 * answer comes through the event queue. Its caller may see it up to 100 ms late, when it stops
 * looking at its own queue. That queue is not used again, and no further ones are made.
 */
final class ReplyQueues {
    private static final System.Logger LOG = System.getLogger(ReplyQueues.class.getName());

    private final MqSystem system;
    private final MqNames names;
    private final MqLimits limits;
    private final int most;

    // With room for all from the beginning: to release or abandon a queue takes no memory.
    private final ArrayDeque<ReplyQueue> free;
    private final List<ReplyQueue> made;
    private final List<ReplyQueue> abandoned;
    private volatile boolean hasAbandoned;
    private boolean isExhausted;
    private boolean isClosed;

    ReplyQueues(MqSystem system, MqNames names, MqLimits limits) {
        this.system = system;
        this.names = names;
        this.limits = limits;
        this.most = limits.replyQueues();
        this.free = new ArrayDeque<>(most);
        this.made = new ArrayList<>(most);
        this.abandoned = new ArrayList<>(most);
    }

    /** A queue for one call, to be released or abandoned; null if there is none. */
    synchronized @Nullable ReplyQueue lease() {
        ReplyQueue queue = free.pollLast();
        return queue != null ? queue : make();
    }

    private @Nullable ReplyQueue make() {
        if (isExhausted || isClosed) {
            return null;
        }
        int index = made.size();
        if (index >= most) {
            exhausted("limits leave room for no more");
            return null;
        }
        String name = names.reply(index);
        int descriptor =
                system.create(name, MessageQueues.End.RECEIVE_WAITING, 1, Message.MAX_BYTES);
        if (descriptor < 0) {
            exhausted(limits.explain(-descriptor));
            return null;
        }
        try {
            made.add(new ReplyQueue(index, new MqEnd(system, descriptor)));
            return made.getLast();
        } finally {
            if (made.size() == index) { // there was no memory for it
                system.close(descriptor);
                system.unlink(name);
            }
        }
    }

    private void exhausted(String why) {
        isExhausted = true;
        LOG.log(
                System.Logger.Level.DEBUG,
                "{0} reply queues; further threads share one: {1}",
                made.size(),
                why);
    }

    /** The answer came. */
    synchronized void release(ReplyQueue queue) {
        if (!queue.isAnsweredElsewhere()) {
            free.addLast(queue);
        }
    }

    /**
     * Takes an answer out of the event queue, if its caller waits for it in a queue of its own.
     *
     * @param message from the event queue, of any kind
     * @return false if it is no such answer, and is to be dispatched
     */
    boolean takesAnswer(Message message) {
        if (!ServerEvents.isReply(message) || !ServerEvents.isWellFormed(message)) {
            return false;
        }
        int index = ReplyQueue.indexOf(ServerEvents.correlation(message));
        if (index < 0) {
            return false;
        }
        synchronized (this) {
            ReplyQueue queue = index < made.size() ? made.get(index) : null;
            if (queue == null || !queue.isAnswer(message)) {
                return false;
            }
            if (!isExhausted) {
                exhausted("the engine cannot open them");
            }
            boolean isWaitedFor = !abandoned.remove(queue);
            hasAbandoned = !abandoned.isEmpty();
            queue.answerElsewhere(message);
            return isWaitedFor;
        }
    }

    /** The caller leaves, and the answer may still come. */
    synchronized void abandon(ReplyQueue queue) {
        abandoned.add(queue);
        hasAbandoned = true;
    }

    /** Takes an answer that came too late; returns a result of {@link MessageSource}. */
    int pollAbandoned(Message into) {
        if (!hasAbandoned) {
            return MessageSource.EMPTY;
        }
        synchronized (this) {
            for (int i = 0; i < abandoned.size(); i++) {
                ReplyQueue queue = abandoned.get(i);
                int result = queue.receive(into, 0);
                if (result == MessageSource.RECEIVED) {
                    release(abandoned.remove(i));
                    hasAbandoned = !abandoned.isEmpty();
                }
                if (result != MessageSource.EMPTY) {
                    return result;
                }
            }
            return MessageSource.EMPTY;
        }
    }

    /** Whether {@link #pollAbandoned} would not return EMPTY. */
    boolean hasLateAnswer() {
        if (!hasAbandoned) {
            return false;
        }
        synchronized (this) {
            return abandoned.stream().anyMatch(ReplyQueue::hasMessage);
        }
    }

    /** How many were made. */
    synchronized int count() {
        return made.size();
    }

    /**
     * Closes all. No thread may be inside any more. An engine that has ended did not open those
     * that were made since, and their names would stay until the machine is started again.
     */
    synchronized void close() {
        isClosed = true;
        made.forEach(ReplyQueue::close);
        for (int i = 0; i < made.size(); i++) {
            system.unlink(names.reply(i));
        }
        free.clear();
    }
}
