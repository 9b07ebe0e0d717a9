package org.jbmi.zbmi.channel.chronicle;

import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.link.LaneChannel;
import org.jbmi.zbmi.link.PeerEvents;

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
    protected void closeTransport() {
        source.close();
        sink.close();
        folder.leave();
    }
}
