package org.jbmi.zbmi.host;

import org.jbmi.spi.WaitPolicy;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * The one thread of a server that hosts the engine itself. It sleeps in a selector on the sockets
 * of its peers, and looks after them; when a peer rings there, or a deadline is due, and no caller
 * leads, it leads.
 */
final class Keeper implements Runnable {
    static final String NAME = "zbmi-keeper";
    private static final System.Logger LOG = System.getLogger(Keeper.class.getName());
    private static final long JOIN_MS = 5000;

    private final Sessions sessions;
    private final DirectEngine engine;
    private final DirectChannel channel;
    private final KeeperLead lead;
    private final Thread thread;
    private volatile boolean closing;

    Keeper(
            Sessions sessions,
            DirectEngine engine,
            DirectChannel channel,
            HostContext context,
            long spinNs) {
        this.sessions = sessions;
        this.engine = engine;
        this.channel = channel;
        long mostNs = WaitPolicy.of(WaitPolicy.Mode.ADAPTIVE, spinNs).lookNs();
        this.lead = new KeeperLead(engine, channel, context.clock(), mostNs);
        this.thread = Thread.ofPlatform().daemon().name(NAME).unstarted(this);
    }

    void start() {
        thread.start();
    }

    /** Ends the thread and closes the sockets, in bounded time. */
    void stop() {
        closing = true;
        sessions.stop();
        boolean interrupted = false;
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(JOIN_MS);
        while (thread.isAlive() && System.nanoTime() - end < 0) {
            try {
                thread.join(JOIN_MS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (thread.isAlive()) {
            LOG.log(System.Logger.Level.ERROR, "the keeper does not end");
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
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
            sessions.close();
            if (!closing) {
                channel.fail(end);
            }
        }
    }

    private void keep() {
        boolean leads = lead.begin();
        while (leads && !closing) {
            leads = lead.goOn();
            Thread.onSpinWait();
        }
    }
}
