package org.jbmi.zoid.common;

import org.jbmi.mempool.Parking;
import org.jbmi.spi.SleepPlace;
import org.jbmi.zbmi.link.PeerLine;
import org.jspecify.annotations.Nullable;

import java.nio.channels.SelectableChannel;

/**
 * The lead's sleep: on the channel while it is open, else parked. The channel may change between
 * two sleeps, and break during one. All methods except {@link #wake} are for the lead and the
 * thread that attaches.
 */
public final class ChannelSleep implements SleepPlace.Sleep {
    private record Current(PeerLine channel, SessionGuard guard) {}

    private final Parking parking;
    private volatile @Nullable Current current;
    private @Nullable Current prepared;
    private volatile @Nullable Thread parked;
    private volatile boolean wakeRequested;

    /**
     * Makes a sleep without a channel.
     *
     * @param parking how the lead waits while there is none
     */
    public ChannelSleep(Parking parking) {
        this.parking = parking;
    }

    /** Sleeps on a channel from now on; its guard is used to enter it. */
    public void use(PeerLine channel, SessionGuard guard) {
        current = new Current(channel, guard);
    }

    /** Parks from now on. */
    public void broken() {
        current = null;
    }

    /** See {@link org.jbmi.spi.Waitable#arm}. */
    public boolean arm(boolean isSleptIn) {
        Current now = current;
        prepared = null;
        if (now == null || now.channel().brokenReason() != null || !now.guard().enter()) {
            return true;
        }
        boolean quiet = false;
        try {
            quiet = now.channel().prepareSleep(!isSleptIn);
        } catch (Error e) {
            SessionFailure.endOrThrow(now.channel(), e);
        } finally {
            if (quiet) {
                prepared = now;
            } else {
                now.guard().exit();
            }
        }
        return quiet;
    }

    @Override
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

    /** See {@link org.jbmi.spi.Waitable#disarm}. */
    public void disarm() {
        Current now = prepared;
        if (now != null) {
            prepared = null;
            try {
                now.channel().finishSleep();
            } catch (Error e) {
                SessionFailure.endOrThrow(now.channel(), e);
            } finally {
                now.guard().exit();
            }
        }
    }

    @Override
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

    /** For a lead that sleeps elsewhere, see {@link SleepPlace.Word#elsewhere}. */
    public @Nullable SelectableChannel selectable() {
        Current now = current;
        return now == null || now.channel().brokenReason() != null
                ? null
                : now.channel().selectable();
    }
}
