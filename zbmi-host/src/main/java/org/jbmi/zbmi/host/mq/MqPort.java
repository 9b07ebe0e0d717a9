package org.jbmi.zbmi.host.mq;

import org.jbmi.mempool.os.MessageQueues;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.link.MessageSink;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.jspecify.annotations.Nullable;

/**
 * The engine's end of a channel through message queues. An answer goes into the queue that its
 * correlation names; all other messages, and answers whose queue cannot be opened, go into the
 * event queue.
 */
final class MqPort extends LanePort {
    private final MqSystem system;
    private final MqNames names;
    private final MqEnd command;
    private final MqEnd events;
    private final @Nullable MqEnd[] replies = new MqEnd[MqNames.MAX_REPLY_QUEUES];
    private final boolean[] isTried = new boolean[MqNames.MAX_REPLY_QUEUES];

    MqPort(
            EngineSegment segment,
            Welcome welcome,
            int maxBacklog,
            MqSystem system,
            MqNames names,
            MqEnd command,
            MqEnd events) {
        long creditWanted = segment.map().session(welcome.session()).peerWantsCreditOffset();
        super(
                segment,
                welcome,
                maxBacklog,
                new MqSource(command, segment.memory(), creditWanted),
                events);
        this.system = system;
        this.names = names;
        this.command = command;
        this.events = events;
    }

    @Override
    public boolean send(Message message) {
        if (ServerEvents.isReply(message)) {
            int index = ReplyQueue.indexOf(ServerEvents.correlation(message));
            MqEnd own = index < 0 ? null : replyEnd(index);
            if (own != null && own.offer(message) == MessageSink.SENT) {
                return true;
            }
        }
        return super.send(message);
    }

    // The server made it before it named it. Once it is open here, the name is not needed.
    private @Nullable MqEnd replyEnd(int index) {
        if (!isTried[index]) {
            isTried[index] = true;
            try {
                String name = names.reply(index);
                int descriptor = system.open(name, MessageQueues.End.SEND);
                if (descriptor >= 0) {
                    replies[index] = MqEnd.of(system, descriptor); // closed even if the rest fails
                }
                system.unlink(name);
            } catch (OutOfMemoryError | LinkageError e) {
                // It would end the engine for all. The answers go through the event queue.
            }
        }
        return replies[index];
    }

    @Override
    public void close() {
        command.close();
        events.close();
        for (MqEnd reply : replies) {
            if (reply != null) {
                reply.close();
            }
        }
        names.unlinkAll(system);
    }
}
