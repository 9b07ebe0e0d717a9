package org.jbmi.zoid.client;

import org.jbmi.spi.SleepPlace;
import org.jbmi.spi.Waitable;
import org.jbmi.zoid.common.ChannelSleep;
import org.jspecify.annotations.Nullable;

/** The client half's progress, and its waits: in whichever session there is at the moment. */
final class ClientWaitable implements Waitable {
    private final ZoidClient client;
    private final ChannelSleep sleep;
    private final SleepPlace place;

    /** The session in which a wait was begun. */
    private volatile @Nullable ClientSession waited;

    ClientWaitable(ZoidClient client, ChannelSleep sleep) {
        this.client = client;
        this.sleep = sleep;
        place = new SleepPlace.Word(sleep, sleep::selectable);
    }

    @Override
    public int poll() {
        return work(false);
    }

    @Override
    public int askAndPoll() {
        return work(true);
    }

    private int work(boolean ask) {
        ClientSession now = client.entered();
        if (now == null) {
            return 0;
        }
        boolean isOver = now.isBroken();
        int done;
        try {
            if (isOver) {
                sleep.broken();
            }
            done = ask ? now.poll() : now.progress();
        } finally {
            now.guard().exit();
        }
        if (isOver) {
            client.letGo(now);
        }
        return done;
    }

    /** One hop away, an answer is there before a sleep would have begun. */
    @Override
    public boolean isEventNear() {
        ClientSession now = client.session();
        return now != null && now.link().isOneHop();
    }

    @Override
    public void beginWait(long deadlineNs) {
        ClientSession now = client.entered();
        waited = now;
        if (now != null) {
            try {
                now.waitBegins(deadlineNs);
            } finally {
                now.guard().exit();
            }
        }
    }

    @Override
    public boolean arm(boolean isSleptIn) {
        ClientSession now = waited;
        if (now != null && now.guard().enter()) {
            try {
                now.beforeSleep();
            } finally {
                now.guard().exit();
            }
        }
        return sleep.arm(isSleptIn);
    }

    @Override
    public void disarm() {
        sleep.disarm();
    }

    @Override
    public void endWait() {
        ClientSession now = waited;
        waited = null;
        if (now != null && now.guard().enter()) {
            try {
                now.waitOver();
            } finally {
                now.guard().exit();
            }
        }
    }

    @Override
    public SleepPlace sleepsOn() {
        return place;
    }
}
