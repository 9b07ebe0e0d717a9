package org.jbmi.zbmi.host.mq;

import org.jbmi.zbmi.link.MessageSink;
import org.jbmi.zbmi.protocol.Message;

/** Sends into a queue, at once or not at all. */
final class MqSink implements MessageSink {
    private final MqEnd end;
    private final long depth;

    MqSink(MqEnd end) {
        this.end = end;
        this.depth = end.depth();
    }

    @Override
    public int offer(Message message) {
        return end.send(message);
    }

    @Override
    public int room() {
        long queued = end.queued();
        if (queued < 0) {
            return BROKEN;
        }
        return queued < depth ? SENT : FULL;
    }
}
