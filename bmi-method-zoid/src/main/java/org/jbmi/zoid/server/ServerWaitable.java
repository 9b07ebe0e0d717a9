package org.jbmi.zoid.server;

import org.jbmi.spi.SleepPlace;
import org.jbmi.spi.Waitable;
import org.jbmi.zbmi.channel.CommandChannel;
import org.jbmi.zbmi.channel.ServerAttachment;
import org.jbmi.zbmi.protocol.HostKind;
import org.jbmi.zoid.common.Breakdown;
import org.jbmi.zoid.common.ChannelSleep;
import org.jbmi.zoid.common.SessionGuard;

/** The server half's progress, and its sleep on the command channel. */
final class ServerWaitable implements Waitable {
    private final ServerAttachment attachment;
    private final CommandChannel channel;
    private final ServerOperations operations;
    private final SessionGuard guard;
    private final ChannelSleep sleep;
    private final SleepPlace place;

    ServerWaitable(
            ServerAttachment attachment,
            CommandChannel channel,
            ServerOperations operations,
            SessionGuard guard,
            ChannelSleep sleep) {
        this.attachment = attachment;
        this.channel = channel;
        this.operations = operations;
        this.guard = guard;
        this.sleep = sleep;
        place =
                attachment.isKept()
                        ? new SleepPlace.KeptWord(sleep)
                        : new SleepPlace.Word(sleep, sleep::selectable);
    }

    @Override
    public int poll() {
        if (!guard.enter()) {
            return 0;
        }
        try {
            int dispatched = channel.progress();
            if (dispatched < 0) {
                sleep.broken();
                attachment.hangUp(); // else a selector finds the end of the stream again and again
            }
            return Math.max(0, dispatched) + operations.progress();
        } catch (Error e) {
            Breakdown.endOrThrow(channel, e);
            return 1;
        } finally {
            guard.exit();
        }
    }

    /** One hop away, an answer is there before a sleep would have begun. */
    @Override
    public boolean isEventNear() {
        return attachment.welcome().host() != HostKind.DAEMON;
    }

    @Override
    public boolean arm(boolean isSleptIn) {
        return sleep.arm(isSleptIn);
    }

    @Override
    public void disarm() {
        sleep.disarm();
    }

    @Override
    public SleepPlace sleepsOn() {
        return place;
    }
}
