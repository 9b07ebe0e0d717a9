package org.jbmi.zoid.server;

import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.channel.CommandChannelProvider;
import org.jbmi.zbmi.channel.DoorEvents;
import org.jbmi.zbmi.channel.EngineDoor;
import org.jbmi.zbmi.channel.ServerAttachment;
import org.jspecify.annotations.Nullable;

/** A server's access to an engine in another process: a session, and a channel to it. */
public final class RemoteAttachment implements ServerAttachment {
    private final PeerAttachment attachment;
    private final CommandChannelProvider provider;
    private final View view;
    private @Nullable EngineDoor door;

    /**
     * A session.
     *
     * @param attachment the result of the handshake; owned from now on
     * @param provider of the channel that was asked for
     */
    public RemoteAttachment(PeerAttachment attachment, CommandChannelProvider provider) {
        this.attachment = attachment;
        this.provider = provider;
        this.view =
                new View(
                        attachment.welcome(),
                        attachment.map(),
                        attachment.segment(),
                        attachment.memory());
    }

    @Override
    public View view() {
        return view;
    }

    @Override
    public EngineDoor open(DoorEvents events) {
        EngineDoor opened =
                new MessageDoor(events, incoming -> provider.open(attachment, incoming));
        door = opened;
        return opened;
    }

    @Override
    public boolean isKept() {
        return false;
    }

    @Override
    public void hangUp() {
        attachment.hangUp();
    }

    @Override
    public void close() {
        EngineDoor opened = door;
        if (opened == null) {
            attachment.close();
        } else {
            opened.close(0); // the channel may have more to release than the session
        }
    }
}
