package org.jbmi.zbmi.host.mq;

import org.jbmi.zbmi.link.MessageSource;
import org.jbmi.zbmi.protocol.Message;

/**
 * The messages that a server dispatches. They come from the event queue, without the answers whose
 * callers wait in queues of their own. They also come from queues whose callers have left: answers
 * that came too late.
 */
final class MqInbound implements MessageSource {
    private final MqSource events;
    private final ReplyQueues replies;

    MqInbound(MqSource events, ReplyQueues replies) {
        this.events = events;
        this.replies = replies;
    }

    @Override
    public int poll(Message into) {
        int result = events.poll(into);
        while (result == RECEIVED && replies.takesAnswer(into)) {
            result = events.poll(into);
        }
        return result == EMPTY ? replies.pollAbandoned(into) : result;
    }

    @Override
    public boolean hasMessage() {
        return events.hasMessage() || replies.hasLateAnswer();
    }

    @Override
    public boolean takeCreditDue() {
        return events.takeCreditDue();
    }
}
