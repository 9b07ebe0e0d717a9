package org.jbmi.zoid.common;

import org.jbmi.mempool.Parking;
import org.jbmi.zbmi.link.PeerChannel;
import org.jspecify.annotations.Nullable;

import java.nio.channels.SelectableChannel;

/**
 * The lead's sleep: on the channel while there is a whole one, else parked. The channel may come
 * and go between two sleeps, and break in the middle of one. All but {@link #wake} is for the lead
 * and for whoever attaches.
 */
public final class ChannelSleep {
    private record Current(PeerChannel channel, SessionGuard guard) {}

    private final Parking parking;
    private volatile @Nullable Current current;
    private @Nullable Current prepared;
    private volatile @Nullable Thread parked;
    private volatile boolean wakeRequested;

    /**
     * No channel yet.
     *
     * @param parking how the lead waits while there is none
     */
    public ChannelSleep(Parking parking) {
        this.parking = parking;
    }

    /** Sleeps on a channel from now on; it is entered through its guard. */
    public void use(PeerChannel channel, SessionGuard guard) {
        current = new Current(channel, guard);
    }

    /** Parks from now on. */
    public void broken() {
        current = null;
    }

    /** See {@link org.jbmi.spi.Method#prepareWait}. */
    public boolean prepare(boolean primary) {
        Current now = current;
        prepared = null;
        if (now == null || now.channel().brokenReason() != null || !now.guard().enter()) {
            return true;
        }
        boolean quiet = false;
        try {
            quiet = now.channel().prepareSleep(!primary);
        } catch (Error e) {
            Breakdown.endOrThrow(now.channel(), e);
        } finally {
            if (quiet) {
                prepared = now;
            } else {
                now.guard().exit();
            }
        }
        return quiet;
    }

    /** See {@link org.jbmi.spi.Method#sleep}. */
    public void sleep(long timeoutNs) {
        Current now = prepared;
        if (now != null) {
            now.channel().sleep(timeoutNs);
            return;
        }
        parked = parking.current();
        try {
            if (!wakeRequested) {
                parking.park(this, timeoutNs);
            }
        } finally {
            parked = null;
            wakeRequested = false;
        }
    }

    /** See {@link org.jbmi.spi.Method#finishWait}. */
    public void finish() {
        Current now = prepared;
        if (now != null) {
            prepared = null;
            try {
                now.channel().finishSleep();
            } catch (Error e) {
                Breakdown.endOrThrow(now.channel(), e);
            } finally {
                now.guard().exit();
            }
        }
    }

    /** See {@link org.jbmi.spi.Method#wake}. */
    public void wake() {
        Current now = current;
        if (now != null && now.guard().enter()) {
            try {
                now.channel().wake();
            } finally {
                now.guard().exit();
            }
        }
        wakeRequested = true;
        Thread sleeper = parked;
        if (sleeper != null) {
            parking.unpark(sleeper);
        }
    }

    /** See {@link org.jbmi.spi.Method#selectableChannel}. */
    public @Nullable SelectableChannel selectable() {
        Current now = current;
        return now == null || now.channel().brokenReason() != null
                ? null
                : now.channel().selectable();
    }
}
