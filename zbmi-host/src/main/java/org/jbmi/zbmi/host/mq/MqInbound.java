package org.jbmi.zbmi.host.mq;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.protocol.Message;

/**
 * The messages that a server dispatches. They come from the event queue, without the answers whose
 * callers wait in queues of their own. They also come from queues whose callers have left: answers
 * that came too late.
 */
final class MqInbound extends MqSource {
    private final ReplyQueues replies;

    MqInbound(MqEnd events, SharedMemory memory, long creditWantedOffset, ReplyQueues replies) {
        super(events, memory, creditWantedOffset);
        this.replies = replies;
    }

    @Override
    public int poll(Message into) {
        int result = super.poll(into);
        while (result == RECEIVED && replies.takesAnswer(into)) {
            result = super.poll(into);
        }
        return result == EMPTY ? replies.pollAbandoned(into) : result;
    }

    @Override
    public boolean hasMessage() {
        return super.hasMessage() || replies.hasLateAnswer();
    }
}
