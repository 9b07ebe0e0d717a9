package org.jbmi.tcp.peer;

import org.jbmi.spi.SleepPlace;
import org.jbmi.spi.Waitable;
import org.jbmi.tcp.settings.TcpCodes;
import org.jbmi.tcp.settings.TcpSettings;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** The lead's work: polls the selector, serves sockets, and checks deadlines. */
final class Reactor implements Waitable, SleepPlace.Sleep {
    private static final long TICK_NS = 100_000_000;
    private static final long NS_PER_MS = 1_000_000;

    /** How long a peer may take to end a connection that cannot be written any more. */
    private static final long BROKEN_PATIENCE_NS = 2_000_000_000L;

    /** After so many waits in a row that polled in vain and then slept, polling does not pay. */
    private static final int SPIN_CREDIT = 4;

    /** The selector is polled in one of so many rounds although a connection is busy. */
    private static final int HOT_MASK = 7;

    /** After so many polls without an event a connection is not busy any more. */
    private static final int MAX_HOT_MISSES = 200;

    private final TcpState state;
    private final Selector selector;
    private final SleepPlace place;
    private final Endings endings;
    private final Reader reader;
    private final Writer writer;
    private final Dialer dialer;
    private final List<Acceptor> acceptors;
    private int rounds;
    private int hotMisses;
    private int outMisses;
    private @Nullable Connection hot;
    private @Nullable Connection hotOut;
    private final List<Connection> ready = new ArrayList<>();
    private final List<Acceptor> readyAcceptors = new ArrayList<>();
    private final List<Connection> checked = new ArrayList<>();
    private final Consumer<SelectionKey> collector = this::collect;
    private long nextTickNs = System.nanoTime();
    private final PeerCheck peerCheck;
    private final long writeRestNs;
    private long triedNs = System.nanoTime();
    private int spinCredit;

    Reactor(
            TcpState state,
            Selector selector,
            Endings endings,
            Reader reader,
            Writer writer,
            Dialer dialer,
            List<Acceptor> acceptors) {
        this.state = state;
        this.selector = selector;
        this.place = new SleepPlace.OwnSelector(selector, this);
        this.endings = endings;
        this.reader = reader;
        this.writer = writer;
        this.dialer = dialer;
        this.acceptors = acceptors;
        this.peerCheck = new PeerCheck(state);
        this.writeRestNs = state.settings.writeRestNs;
    }

    private void collect(SelectionKey key) {
        Object owner = key.attachment();
        if (owner instanceof Connection connection) {
            try {
                connection.readyOps = key.readyOps();
            } catch (CancelledKeyException e) {
                return; // a thread that is not the lead has ended it at this moment
            }
            ready.add(connection);
        } else if (owner instanceof Acceptor acceptor) {
            readyAcceptors.add(acceptor);
        }
    }

    @Override
    public int poll() {
        state.progressRounds = ++rounds;
        int work = state.hasAttention() ? serveAttention() : 0;
        if (ready.isEmpty() && readyAcceptors.isEmpty()) {
            int found = lookAtHot();
            if (found != 0) {
                spinCredit = SPIN_CREDIT;
                return work + Math.max(0, found);
            }
            state.counters.selects.addBySingleWriter(1);
            try {
                state.interests.select(selector, collector, 0);
            } catch (IOException | ClosedSelectorException e) {
                return work;
            }
        }
        work += serveReady();
        long nowNs = System.nanoTime();
        if (nowNs - nextTickNs >= 0) {
            nextTickNs = nowNs + TICK_NS;
            tick(nowNs);
        }
        if (work > 0) {
            spinCredit = SPIN_CREDIT;
        }
        return work;
    }

    /**
     * While one connection is busy, its socket is read and written without the selector. This saves
     * a system call for each message. The others are polled every few rounds.
     *
     * @return how much was found; below 0 if its socket is not to be read for a moment
     */
    private int lookAtHot() {
        Connection in = hot;
        Connection out = hotOut;
        if (in != null && reader.rests(in)) {
            return -1;
        }
        if ((rounds & HOT_MASK) == 0) {
            return 0;
        }
        int found = 0;
        if (out != null && !(out.blocked && restsWriting())) {
            if (out.blocked && writer.writable(out)) {
                found = 1;
                outMisses = 0;
            } else if (++outMisses > MAX_HOT_MISSES) {
                hotOut = null;
            }
        }
        if (in != null) {
            int read = reader.readable(in);
            found += read;
            if (read > 0) {
                hotMisses = 0;
            } else if (++hotMisses > MAX_HOT_MISSES) {
                hot = null;
            }
        }
        return found;
    }

    /** Whether the last try to write is so recent that the next one would find little room. */
    private boolean restsWriting() {
        if (writeRestNs == 0) {
            return false;
        }
        long nowNs = System.nanoTime();
        boolean rests = nowNs - triedNs < writeRestNs;
        triedNs = rests ? triedNs : nowNs;
        return rests;
    }

    private int serveReady() {
        int work = 0;
        for (int i = 0; i < ready.size(); i++) {
            Connection connection = ready.get(i);
            int ops = connection.readyOps;
            if ((ops & SelectionKey.OP_CONNECT) != 0) {
                dialer.connectable(connection);
                work++;
            }
            if ((ops & SelectionKey.OP_WRITE) != 0) {
                writer.writable(connection);
                hotOut = connection;
                outMisses = 0;
                work++;
            }
            if ((ops & SelectionKey.OP_READ) != 0) {
                work += reader.readable(connection, ready.size());
                hot = ready.size() == 1 ? connection : null;
                hotMisses = 0;
            }
        }
        ready.clear();
        for (int i = 0; i < readyAcceptors.size(); i++) {
            work += readyAcceptors.get(i).acceptable();
        }
        readyAcceptors.clear();
        return work;
    }

    // Only connections that are listed now: one that is listed meanwhile is for the next round.
    private int serveAttention() {
        int count;
        synchronized (state.lock) {
            state.attendStalled();
            count = state.attentionCount();
        }
        int work = 0;
        for (; count > 0; count--) {
            Connection connection = nextAttention();
            if (connection != null) {
                work += attend(connection);
            }
        }
        return work;
    }

    private @Nullable Connection nextAttention() {
        synchronized (state.lock) {
            return state.pollAttention();
        }
    }

    private int attend(Connection connection) {
        int forced;
        boolean corked;
        boolean undecided;
        synchronized (state.lock) {
            forced = connection.forcedCode;
            corked = connection.corked;
            undecided = connection.writeError != 0 && !connection.writesOver;
        }
        if (connection.ended) {
            return 0;
        }
        if (forced != 0) {
            endings.end(connection, forced);
            return 1;
        }
        if (undecided) {
            return decide(connection);
        }
        if (corked) {
            writer.writable(connection);
        }
        return connection.incoming.isParked() ? reader.resume(connection) : 1;
    }

    /**
     * Reads on where nothing can be written any more, to find the code for the sends. A parked
     * connection is listed again, since its only entry may have come for what it waits for.
     */
    private int decide(Connection connection) {
        connection.incoming.restsSinceNs = 0;
        boolean isParked = connection.incoming.isParked();
        int found = isParked ? 0 : reader.readable(connection);
        synchronized (state.lock) {
            if (!connection.ended) {
                if (found == 0) {
                    endings.breakWrites(connection, connection.writeError);
                }
                if (found != 0 || isParked) {
                    state.attend(connection);
                }
            }
        }
        return 1;
    }

    @Override
    public boolean isEventNear() {
        return spinCredit > 0;
    }

    /**
     * Polling before this sleep has found nothing. A socket with any bytes ends a sleep, so only
     * the lists are checked here.
     */
    @Override
    public boolean arm(boolean isSleptIn) {
        if (spinCredit > 0) {
            spinCredit--;
        }
        return !state.hasAttention() && ready.isEmpty() && readyAcceptors.isEmpty();
    }

    @Override
    public void disarm() {}

    @Override
    public SleepPlace sleepsOn() {
        return place;
    }

    @Override
    public void wake() {
        selector.wakeup();
    }

    @Override
    public void sleep(long timeoutNs) {
        long mostNs = timeoutNs;
        if (state.isTimed()) {
            mostNs = Math.min(timeoutNs, nextTickNs - System.nanoTime());
        }
        state.counters.selects.addBySingleWriter(1);
        try {
            long mostMs = Math.max(1, mostNs / NS_PER_MS);
            state.interests.select(selector, collector, mostMs);
        } catch (IOException | ClosedSelectorException e) {
            LockSupport.parkNanos(NS_PER_MS); // slower, but nothing is lost
        }
    }

    private void tick(long nowNs) {
        state.forgetTimes();
        boolean isTimed = true; // also if a check fails, so that the next tick comes
        try {
            isTimed = checkAll(nowNs);
        } finally {
            checked.clear();
            if (isTimed) {
                state.beginsTime();
            }
        }
    }

    private boolean checkAll(long nowNs) {
        boolean isTimed = false;
        for (int i = 0; i < acceptors.size(); i++) {
            isTimed |= acceptors.get(i).checkPause(nowNs);
        }
        synchronized (state.lock) {
            endings.dropOverdue(nowNs);
            for (int i = 0; i < state.connections.size(); i++) {
                checked.add(state.connections.get(i)); // addAll would make an array
            }
            isTimed |= !state.lingering.isEmpty();
        }
        isTimed |= dialer.checkDeadlines(nowNs);
        for (int i = 0; i < checked.size(); i++) {
            isTimed |= check(checked.get(i), nowNs);
        }
        peerCheck.look(checked, nowNs);
        return isTimed;
    }

    /**
     * Ends a connection whose time is over; whether any time of it runs. If the program made no
     * test call meanwhile, what the peer did in time may be unseen, so tcp looks once more.
     */
    private boolean check(Connection connection, long nowNs) {
        Incoming incoming = connection.incoming;
        TcpSettings settings = state.settings;
        int gone = connection.goneCode;
        if (gone != 0) {
            connection.goneCode = 0;
            if (peerCheck.isOverdue(connection, nowNs)) {
                endings.end(connection, gone);
                return true;
            }
        }
        long namelessSince = incoming.awaitsNameSinceNs;
        if (namelessSince != 0 && nowNs - namelessSince >= settings.connectTimeoutNs) {
            incoming.isNameLate = true;
            synchronized (state.lock) {
                state.attend(connection);
            }
        }
        long since = incoming.waitingSinceNs;
        boolean amidst = incoming.phase == Incoming.BODY;
        long most = amidst ? settings.stallTimeoutNs : settings.headerTimeoutNs;
        if (since != 0 && most > 0 && nowNs - since >= most) {
            reader.readable(connection);
            if (incoming.waitingSinceNs == since) { // a part of a header restarts no time
                endings.end(connection, amidst ? TcpCodes.ETIMEDOUT : TcpCodes.EPIPE);
            }
            return true;
        }
        boolean waits;
        boolean blocked;
        boolean broken;
        synchronized (state.lock) {
            waits = connection.blocked;
            blocked = waits && !connection.writing;
            broken = connection.writeError != 0;
        }
        long quietNs = nowNs - connection.outgoing.lastWriteNs;
        if (broken && !incoming.isParked() && quietNs >= BROKEN_PATIENCE_NS) {
            incoming.restsSinceNs = 0; // otherwise nothing is read for a moment
            if (reader.readable(connection) == 0) {
                endings.end(connection, connection.writeError);
            }
        } else if (blocked
                && settings.stallTimeoutNs > 0
                && quietNs >= settings.stallTimeoutNs
                && !writer.writable(connection)) {
            endings.end(connection, TcpCodes.ETIMEDOUT);
        }
        return since != 0 || incoming.parkedSinceNs != 0 || waits || broken;
    }
}
