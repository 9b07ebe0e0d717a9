package org.jbmi.zbmi.host;

import org.jbmi.spi.WaitPolicy;
import org.jbmi.zbmi.attach.Interrupts;
import org.jbmi.zbmi.host.place.HostContext;

import java.io.IOException;

/**
 * The one thread of a server that hosts the engine itself. It sleeps in a selector on the sockets
 * of its peers, and serves them. When a peer rings there, or a deadline is due, and no caller runs
 * rounds of the engine, it does.
 */
final class Keeper implements Runnable {
    static final String NAME = "zbmi-keeper";
    private static final System.Logger LOG = System.getLogger(Keeper.class.getName());

    private final Sessions sessions;
    private final DirectEngine engine;
    private final DirectDoor door;
    private final KeeperLead lead;
    private final Thread thread;
    private volatile boolean closing;
    private Runnable afterEnd = () -> {};
    private boolean hasEnded;

    Keeper(
            Sessions sessions,
            DirectEngine engine,
            DirectDoor door,
            HostContext context,
            long spinNs) {
        this.sessions = sessions;
        this.engine = engine;
        this.door = door;
        long mostNs = WaitPolicy.of(WaitPolicy.Mode.ADAPTIVE, spinNs).lookNs();
        this.lead = new KeeperLead(engine, context.clock(), mostNs);
        this.thread = Thread.ofPlatform().daemon().name(NAME).unstarted(this);
    }

    void start() {
        thread.start();
    }

    /** Makes the thread close the sockets and end, without waiting for that. */
    void beginStop() {
        closing = true;
        sessions.stop();
    }

    /**
     * Ends the thread and closes the sockets, in bounded time.
     *
     * @param mostNs how long to wait for the thread
     * @param last run when the thread has ended: here, or by the thread itself if it ends later,
     *     since it releases what the thread uses
     */
    void stop(long mostNs, Runnable last) {
        beginStop();
        boolean wasInterrupted = Interrupts.join(thread, mostNs);
        if (mayBeDoneHere(last)) {
            last.run();
        } else {
            LOG.log(System.Logger.Level.WARNING, "the keeper does not end in time");
        }
        Interrupts.restore(wasInterrupted);
    }

    private synchronized boolean mayBeDoneHere(Runnable last) {
        if (!hasEnded) {
            afterEnd = last;
        }
        return hasEnded;
    }

    private synchronized Runnable end() {
        hasEnded = true;
        return afterEnd;
    }

    @Override
    public void run() {
        String end = "The server's keeper has ended.";
        try {
            while (!closing && engine.failure() == null) {
                sessions.turn(engine.keeperSleepMs());
                keep();
            }
            end = String.valueOf(engine.failure());
            if (engine.failure() == null) {
                sessions.sayServerClosed();
            }
        } catch (IOException | RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, "the keeper failed", e);
            end = "The keeper failed: " + e;
        } finally {
            finish(end);
        }
    }

    // Runs the last action, which releases the segment and its folder, whatever fails.
    private void finish(String end) {
        try {
            sessions.close();
        } finally {
            finishAfterSockets(end);
        }
    }

    private void finishAfterSockets(String end) {
        try {
            engine.tellEnds();
        } finally {
            try {
                if (!closing) {
                    door.fail(end);
                }
            } finally {
                end().run();
            }
        }
    }

    // A client that always has work for it must not keep it from its sockets. After its last round
    // it must not look there: a ring would be read, and no round would follow.
    private void keep() throws IOException {
        boolean leads = lead.begin();
        while (leads && !closing && engine.failure() == null) {
            leads = lead.goOn();
            if (leads && lead.isTick()) {
                sessions.wakeup(); // so that it does not wait
                sessions.turn(1);
            }
            Thread.onSpinWait();
        }
    }
}
