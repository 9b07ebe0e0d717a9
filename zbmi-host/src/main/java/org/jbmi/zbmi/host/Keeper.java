package org.jbmi.zbmi.host;

import org.jbmi.spi.Failures;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.zbmi.attach.Interrupts;
import org.jbmi.zbmi.host.place.HostContext;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The one thread of a server that hosts the engine itself. It sleeps in a selector on the sockets
 * of its peers, and serves them. When a peer rings there, or a deadline is due, and no caller runs
 * rounds of the engine, it does.
 */
final class Keeper implements Runnable {
    static final String NAME = "zbmi-keeper";
    private static final System.Logger LOG = System.getLogger(Keeper.class.getName());

    /** How long to wait before a step is tried again that found no memory. */
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(50);

    /** The longest time that a stop waits for the release of resources once it has begun. */
    private static final long RELEASE_NS = TimeUnit.SECONDS.toNanos(5);

    private final Sessions sessions;
    private final DirectEngine engine;
    private final DirectDoor door;
    private final KeeperLead lead;
    private final Thread thread;
    private final Runnable closeSockets = this::closeSockets; // made while there is memory
    private final Runnable release = this::release;
    private final Runnable last;
    private volatile boolean closing;
    private volatile boolean mayEnd;
    private volatile boolean isReleasing;
    private volatile @Nullable Throwable failure;

    /**
     * Makes one that does not run yet.
     *
     * @param last releases what the thread uses. The thread runs it at its end, and again until
     *     there is memory for all of it
     */
    Keeper(
            Sessions sessions,
            DirectEngine engine,
            DirectDoor door,
            HostContext context,
            long spinNs,
            Runnable last) {
        this.sessions = sessions;
        this.engine = engine;
        this.door = door;
        this.last = last;
        long mostNs = WaitPolicy.of(WaitPolicy.Mode.ADAPTIVE, spinNs).lookNs();
        this.lead = new KeeperLead(engine, context.clock(), mostNs);
        this.thread = Thread.ofPlatform().daemon().name(NAME).unstarted(this);
    }

    void start() {
        thread.start();
    }

    /**
     * Makes the thread close the sockets, without waiting for that. It ends after {@link #stop}; if
     * that never comes, it waits until the process ends.
     */
    void beginStop() {
        closing = true;
        sessions.stop();
    }

    /**
     * Ends the thread, in bounded time. If the thread has ended, this throws the first failure of
     * the last steps: to close the sockets, and to release what the thread used.
     *
     * @param mostNs how long to wait until the release begins; without memory the thread may end
     *     later
     */
    void stop(long mostNs) {
        mayEnd = true;
        LockSupport.unpark(thread);
        beginStop();
        boolean wasInterrupted = Interrupts.join(thread, mostNs);
        wasInterrupted |= joinReleasing();
        try {
            if (thread.isAlive()) {
                LOG.log(System.Logger.Level.WARNING, "the keeper does not end in time");
            }
        } catch (OutOfMemoryError | LinkageError e) {
            // There is no memory for the log; the rest of the close must go on.
        }
        Interrupts.restore(wasInterrupted);
        if (!thread.isAlive()) {
            Failures.rethrow(failure);
        }
    }

    // A release waits for no peer. A thread that waits for memory is not in a release.
    private boolean joinReleasing() {
        boolean wasInterrupted = false;
        long endNs = System.nanoTime() + RELEASE_NS;
        while (isReleasing && thread.isAlive() && System.nanoTime() - endNs < 0) {
            wasInterrupted |= Interrupts.join(thread, LOOK_NS);
        }
        return wasInterrupted;
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

    // The server hears of it first: the rest may wait for memory, or for the close.
    private void finish(String end) {
        try {
            if (!closing) {
                door.fail(end);
            }
        } finally {
            try {
                complete(closeSockets);
            } finally {
                awaitStop();
                complete(release);
            }
        }
    }

    private void release() {
        isReleasing = true;
        last.run();
    }

    private void closeSockets() {
        try {
            sessions.close();
        } finally {
            engine.tellEnds();
        }
    }

    private void awaitStop() {
        while (!mayEnd) {
            LockSupport.park(this);
            Thread.interrupted(); // so that the next park waits
        }
    }

    private void complete(Runnable step) {
        boolean isDone = false;
        while (!isDone) {
            try {
                attempt(step);
                isDone = true;
            } catch (OutOfMemoryError e) {
                isReleasing = false;
                Interrupts.park(LOOK_NS);
            }
        }
    }

    // A class whose first use found no memory cannot be used later either.
    private void attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | LinkageError e) {
            failure = Failures.first(failure, e);
            LOG.log(
                    System.Logger.Level.ERROR,
                    "the keeper did not release all that the server used",
                    e);
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
