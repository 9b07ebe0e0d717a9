package org.jbmi.zbmi.channel.chronicle;

import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.link.LaneChannel;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;

/** The server's end of a channel through Chronicle Queues. */
final class ChronicleCommandChannel extends LaneChannel {
    private final ChronicleSource source;
    private final ChronicleSink sink;
    private final ChannelFolder folder;

    ChronicleCommandChannel(
            PeerAttachment attachment,
            PeerEvents events,
            ChronicleSource source,
            ChronicleSink sink,
            ChannelFolder folder) {
        super(attachment, events, source, sink);
        this.source = source;
        this.sink = sink;
        this.folder = folder;
    }

    @Override
    protected boolean isWellFormed(Message message) {
        return ServerEvents.isWellFormed(message);
    }

    @Override
    protected long correlationOf(Message message) {
        return ServerEvents.isReply(message) ? ServerEvents.correlation(message) : 0;
    }

    @Override
    protected void closeTransport() {
        source.close();
        sink.close();
        folder.leave();
    }
}
