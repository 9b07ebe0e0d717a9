package org.jbmi.zbmi.host;

import org.jbmi.mempool.Liveness;
import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.LinkedNode;
import org.jbmi.zbmi.protocol.handshake.Hello;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Tells the engine of peers. What it has no room for is kept and told later, that of one peer in
 * the order of {@link SessionEvent}. The process of a peer that went without a goodbye is watched,
 * and its end is told too. To tell and to keep allocates nothing. For the thread of {@link
 * Sessions}.
 */
final class PeerNews {
    static final long EXIT_POLL_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final SessionEvent[] EVENTS = SessionEvent.values();

    /** What the engine has not heard yet of one connection. */
    static final class Untold extends LinkedNode {
        private final Connection connection;
        private final Set<SessionEvent> events = EnumSet.noneOf(SessionEvent.class);

        Untold(Connection connection) {
            this.connection = connection;
        }
    }

    private final SessionEvent.Taker engine;
    private final Liveness liveness;
    private final IntrusiveList<Untold> untold = new IntrusiveList<>();
    private final IntrusiveList<Connection> awaitingExit = new IntrusiveList<>();
    private final Predicate<Connection> isProvedDead = this::isProvedDead;
    private final Consumer<Connection> tellDeath = this::tellDeath;
    private long nextExitPollNs;

    PeerNews(SessionEvent.Taker engine, Liveness liveness) {
        this.engine = engine;
        this.liveness = liveness;
    }

    /** Of how many connections the engine has not heard all. */
    int untoldCount() {
        return untold.size();
    }

    /** Closed connections of processes that may live. */
    IntrusiveList<Connection> awaitingExit() {
        return awaitingExit;
    }

    /** Tells one event, or keeps it. */
    void tell(SessionEvent event, Connection connection) {
        if (!untold.isEmpty() || !engine.tell(event, connection)) {
            Untold kept = connection.untold();
            kept.events.add(event);
            if (!kept.isListed()) {
                untold.addLast(kept);
            }
        }
    }

    /** Tells the events that are kept, until there is no room. */
    void tellKept() {
        for (Untold next = untold.first(); next != null && tellAll(next); next = untold.first()) {
            untold.poll();
        }
    }

    private boolean tellAll(Untold kept) {
        for (SessionEvent event : EVENTS) {
            if (kept.events.contains(event) && !engine.tell(event, kept.connection)) {
                return false;
            }
            kept.events.remove(event);
        }
        return true;
    }

    /** From now on the process of a closed connection is watched. */
    void awaitExit(Connection gone, long nowNs) {
        awaitingExit.addLast(gone);
        nextExitPollNs = nowNs;
    }

    /** Looks at the processes if it is time for that. */
    void pollExits(long nowNs) {
        if (!awaitingExit.isEmpty() && nowNs - nextExitPollNs >= 0) {
            nextExitPollNs = nowNs + EXIT_POLL_NS;
            awaitingExit.drain(isProvedDead, tellDeath);
        }
    }

    private void tellDeath(Connection gone) {
        tell(SessionEvent.PROVED_DEAD, gone);
    }

    private boolean isProvedDead(Connection gone) {
        Hello hello = gone.peer();
        return !liveness.isAlive(hello.pid(), hello.processStartMs());
    }
}
