package org.jbmi.zbmi.host.mq;

import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.link.LaneChannel;
import org.jbmi.zbmi.link.MessageSource;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.Message;

import java.util.concurrent.TimeUnit;

/**
 * The server's end of a channel through message queues. All threads share one queue for commands
 * and one for events. A calling thread has a reply queue of its own, while there are enough, and
 * waits on it in the kernel. A virtual thread, or a thread without a reply queue, gets its answer
 * from the event queue, by correlation.
 *
 * <p>So an answer may overtake an earlier event, and an event an answer: their order is the
 * engine's only within each queue.
 */
final class MqCommandChannel extends LaneChannel {
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Queues queues;
    private final NanoClock clock;

    /** What it is made of. */
    record Queues(MqEnd command, MqEnd events, ReplyQueues replies) {
        void close() {
            command.close();
            events.close();
            replies.close();
        }
    }

    MqCommandChannel(PeerAttachment attachment, PeerEvents events, Queues queues) {
        super(
                attachment,
                events,
                new MqInbound(
                        queues.events(),
                        attachment.memory(),
                        attachment
                                .map()
                                .session(attachment.welcome().session())
                                .engineWantsCreditOffset(),
                        queues.replies()),
                queues.command());
        this.queues = queues;
        this.clock = attachment.clock();
    }

    @Override
    public int call(Message request, Message reply, long timeoutNs) {
        ReplyQueue queue = Thread.currentThread().isVirtual() ? null : queues.replies().lease();
        if (queue == null) {
            return super.call(request, reply, timeoutNs);
        }
        long startNs = clock.nanoTime();
        request.setWord(0, queue.nextCall());
        int sent = note(request, timeoutNs);
        if (sent != OK) {
            queues.replies().release(queue);
            return sent == TIMED_OUT ? NOT_SENT : sent;
        }
        int result = awaitAnswer(queue, reply, startNs, timeoutNs);
        if (result == OK) {
            queues.replies().release(queue);
        } else {
            queues.replies().abandon(queue);
        }
        return result;
    }

    private int awaitAnswer(ReplyQueue queue, Message reply, long startNs, long timeoutNs) {
        WaitPolicy own = policy();
        long lookNs = own.lookNs();
        while (true) {
            // Read before the queue: an answer that came before the end still counts.
            boolean isOver = brokenReason() != null;
            long waitedNs = clock.nanoTime() - startNs;
            long leftNs = timeoutNs - waitedNs;
            boolean mayWait = !isOver && waitedNs >= lookNs && leftNs > 0;
            int result = queue.receive(reply, mayWait ? Math.min(SLICE_NS, leftNs) : 0);
            if (result == MessageSource.RECEIVED && queue.isAnswer(reply)) {
                own.ended(lookNs, waitedNs);
                return OK;
            }
            if (result != MessageSource.EMPTY) {
                fail("The daemon has sent a message that breaks the protocol.");
                return BROKEN;
            }
            if (isOver) {
                return BROKEN;
            } else if (leftNs <= 0) {
                return TIMED_OUT;
            } else if (mayWait) {
                checkSocket();
                progress(); // that poll may have read the byte by which the engine wakes the lead
            } else {
                own.pause();
            }
        }
    }

    /** How many reply queues it has, for tests. */
    int replyQueues() {
        return queues.replies().count();
    }

    @Override
    protected void closeTransport() {
        queues.close();
    }
}
