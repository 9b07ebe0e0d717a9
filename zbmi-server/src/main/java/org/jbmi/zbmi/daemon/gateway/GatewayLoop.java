package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.Failures;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.host.place.MemoryShortage;
import org.jbmi.zbmi.socket.FrameException;
import org.jbmi.zbmi.socket.SocketClientLinks;
import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The gateway's thread. These are bounded: connections, the time of handshakes, the bytes that a
 * client can make the gateway keep, and how long it may stall a transfer. Nothing here waits for
 * one client.
 *
 * <p>With a full heap the client that needs memory is cut off. What serves all clients allocates
 * nothing of its own, so its loops use no iterators.
 */
final class GatewayLoop implements Runnable {
    private static final System.Logger LOG = System.getLogger(GatewayLoop.class.getName());
    private static final long STALL_LOOKS = 8;

    /** Attaching may take so many times as long as a handshake, since several clients may wait. */
    private static final long ATTACH_PATIENCE = 8;

    private static final long ACCEPT_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final GatewaySettings settings;
    private final GatewayAccess access;
    private final Selector selector;
    private final List<GatewayListener> listeners;
    private final ClientAttacher attacher;
    private final NanoClock clock;
    private final ErrorLog errors;
    private final GatewayCounters counters;
    private final List<RemoteClient> clients = new ArrayList<>();
    private final Consumer<SelectionKey> onReady = this::onReady;
    private final MemoryShortage shortage;
    private volatile boolean closing;
    private int openClients;
    private long acceptAgainNs;
    private boolean isAcceptPaused;

    GatewayLoop(
            GatewaySettings settings,
            GatewayAccess access,
            Selector selector,
            List<GatewayListener> listeners,
            ClientAttacher attacher,
            NanoClock clock,
            ErrorLog errors,
            GatewayCounters counters)
            throws IOException {
        this.settings = settings;
        this.access = access;
        this.selector = selector;
        this.listeners = listeners;
        this.attacher = attacher;
        this.clock = clock;
        this.errors = errors;
        this.counters = counters;
        this.shortage =
                new MemoryShortage(
                        selector, errors, "There was no memory for a turn of the gateway.");
        for (GatewayListener listener : listeners) {
            listener.channel().register(selector, SelectionKey.OP_ACCEPT, listener);
        }
    }

    /** From any thread: ends the loop soon. */
    void stop() {
        closing = true;
        selector.wakeup();
    }

    @Override
    public void run() {
        try {
            while (!closing) {
                turn();
            }
        } catch (IOException | RuntimeException | Error e) {
            log(System.Logger.Level.ERROR, "the gateway's thread failed", e);
            note("The gateway's thread failed: ", e, "");
        } finally {
            closeAll();
        }
    }

    private void closeAll() {
        Throwable failure = null;
        for (int i = 0; i < clients.size(); i++) {
            try {
                clients.get(i).close();
            } catch (RuntimeException | Error e) {
                failure = Failures.first(failure, e);
            }
        }
        shortage.awaitEnd();
        closeSelector();
        Failures.rethrow(failure);
    }

    /**
     * Serves the active clients, then polls the sockets; if none is active, until one of them is
     * ready.
     */
    void turn() throws IOException {
        try {
            boolean isBusy = serveHot();
            if (shortage.end() || isBusy) {
                selector.selectNow(onReady);
            } else {
                selector.select(onReady, selectTimeoutMs());
            }
            duties();
        } catch (OutOfMemoryError e) {
            shortage.pause(e); // all clients go on, as soon as there is some
        }
    }

    private void closeSelector() {
        try {
            selector.close();
        } catch (IOException e) {
            log(System.Logger.Level.DEBUG, "closing a selector", e);
        }
    }

    private boolean serveHot() {
        boolean isBusy = false;
        for (int i = 0; i < clients.size(); i++) {
            RemoteClient client = clients.get(i);
            if (client.isHot()) {
                isBusy |= serve(client);
            }
        }
        return isBusy;
    }

    private boolean serve(RemoteClient client) {
        try {
            long nowNs = clock.nanoTime();
            client.isHot(client.serve(nowNs, counters));
            evictIfStalled(client, nowNs); // it may send something else all the time
            return client.isHot() || client.isClosed();
        } catch (FrameException e) {
            evict(client, e.kind());
        } catch (EOFException e) {
            close(client);
        } catch (OutOfMemoryError e) {
            ranOut(client, e);
        } catch (IOException | RuntimeException e) {
            log(System.Logger.Level.DEBUG, "a link broke", e);
            close(client);
        }
        return true; // it is over: it must be removed
    }

    // There was no memory for one client: the others go on.
    private void ranOut(RemoteClient client, OutOfMemoryError e) {
        shortage.begin();
        close(client);
        log(System.Logger.Level.WARNING, "a remote client was cut off", e);
        note("A remote client was cut off: there was no memory for it.");
    }

    private void evict(RemoteClient client, String what) {
        counters.evicted.addBySingleWriter(1);
        close(client);
        note("A remote client was cut off: ", what, ".");
    }

    private void close(RemoteClient client) {
        try {
            client.close();
        } catch (OutOfMemoryError e) {
            shortage.begin();
            log(System.Logger.Level.WARNING, "closing a remote client", e);
        }
    }

    private void note(String what) {
        note(what, "", "");
    }

    // With a full heap there may be no memory for the words. In a catch block that would end the
    // thread: the other catch blocks beside it do not catch its errors.
    private void note(String before, Object what, String after) {
        try {
            errors.record(before + what + after);
        } catch (OutOfMemoryError | LinkageError ignored) {
            // The error log cannot say so.
        }
    }

    private static void log(System.Logger.Level level, String what, Throwable why) {
        try {
            LOG.log(level, what, why);
        } catch (OutOfMemoryError | LinkageError ignored) {
            // Nor can the logger.
        }
    }

    private void evictIfStalled(RemoteClient client, long nowNs) {
        if (client.isStalled(nowNs, settings.stallNs())) {
            evict(client, "it held a transfer up for too long");
        }
    }

    private long selectTimeoutMs() {
        long now = clock.nanoTime();
        long leastNs = isAcceptPaused ? acceptAgainNs - now : Long.MAX_VALUE;
        for (int i = 0; i < clients.size(); i++) {
            RemoteClient client = clients.get(i);
            long deadlineNs = client.deadlineNs();
            if (deadlineNs != Long.MAX_VALUE) {
                leastNs = Math.min(leastNs, deadlineNs - now);
            }
            if (client.hasTransfers()) {
                leastNs = Math.min(leastNs, settings.stallNs() / STALL_LOOKS);
            }
        }
        return leastNs == Long.MAX_VALUE
                ? 0
                : Math.max(1, TimeUnit.NANOSECONDS.toMillis(Math.max(0, leastNs)) + 1);
    }

    private void onReady(SelectionKey key) {
        if (!key.isValid()) {
            return;
        }
        switch (key.attachment()) {
            case GatewayListener listener -> accept(listener);
            case GatewayRelay relay -> laneReady(relay);
            case RemoteClient client -> ready(client);
            default -> throw new IllegalStateException("nobody's key");
        }
    }

    private void laneReady(GatewayRelay relay) {
        relay.laneReady();
        for (int i = 0; i < clients.size(); i++) {
            if (clients.get(i).has(relay)) {
                clients.get(i).isHot(true);
            }
        }
    }

    private void ready(RemoteClient client) {
        try {
            meet(client);
        } catch (OutOfMemoryError e) {
            ranOut(client, e); // also if the system has no further thread for the attacher
        }
    }

    private void meet(RemoteClient client) {
        try {
            switch (client.state()) {
                case GREETING -> greet(client);
                case PARTING -> {
                    if (!client.part()) {
                        close(client); // it has read the reason, or sends for too long
                    }
                }
                default -> client.isHot(true);
            }
        } catch (FrameException e) {
            counters.refused.addBySingleWriter(1);
            note("Refused a remote client: ", e.kind(), ".");
            refuse(
                    client,
                    ErrorCode.EPROTO,
                    "This gateway ends the connection: " + e.getMessage() + ".");
        } catch (IOException e) {
            close(client);
        }
    }

    private void greet(RemoteClient client) throws IOException {
        if (!client.greet()) {
            return;
        }
        if (openClients >= settings.maxClients() || !attacher.start(client)) {
            counters.refused.addBySingleWriter(1);
            note("Refused a remote client: the gateway has no room for another one.");
            refuse(
                    client,
                    ErrorCode.ENOBUFS,
                    "This gateway serves %d clients, and has no room for another one."
                            .formatted(settings.maxClients()));
        } else {
            openClients++;
            client.attaching(clock.nanoTime() + ATTACH_PATIENCE * settings.handshakeNs());
        }
    }

    private void refuse(RemoteClient client, ErrorCode code, String sentence) {
        makeRoom(GreetingLimits.tooManyParting(clients));
        try {
            client.refuse(code, sentence, clock.nanoTime());
        } catch (IOException e) {
            close(client);
        }
    }

    private void accept(GatewayListener listener) {
        if (isAcceptPaused) { // by another listener, in this turn
            return;
        }
        try {
            SocketChannel channel = shortage.accept(listener.channel());
            if (channel == null) {
                return;
            }
            counters.accepted.addBySingleWriter(1);
            take(listener, channel);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            // Out of descriptors, perhaps: the client stays in the queue.
            pauseAccepting();
            note("A remote client could not be taken: ", String.valueOf(e.getMessage()), "");
        }
    }

    // A refused client that could not be told so must not stay: its hello would get it a session.
    private void take(GatewayListener listener, SocketChannel channel) throws IOException {
        RemoteClient client = null;
        boolean isTaken = false;
        try {
            channel.configureBlocking(false);
            SocketClientLinks.tune(channel);
            boolean isUnix = listener.isUnix();
            String refusal = access.refusalOf(channel, isUnix);
            long deadlineNs = clock.nanoTime() + settings.handshakeNs();
            client = new RemoteClient(channel, selector, isUnix, deadlineNs);
            RemoteClient first = GreetingLimits.tooManyGreeting(clients, isUnix);
            clients.add(client);
            if (refusal == null) {
                makeRoom(first);
            } else {
                counters.refused.addBySingleWriter(1);
                note("Refused a remote client: ", refusal, "");
                refuse(client, ErrorCode.EACCES, refusal);
            }
            isTaken = true;
        } finally {
            if (!isTaken) {
                shortage.begin(); // its key may be left
            }
            if (!isTaken && client != null) {
                close(client);
            } else if (!isTaken) {
                channel.close();
            }
        }
    }

    private void makeRoom(@Nullable RemoteClient one) {
        if (one == null) {
            return;
        }
        if (one.state() == RemoteClient.State.GREETING) {
            counters.refused.addBySingleWriter(1);
            note(
                    "A remote client was closed that had not introduced itself: too many"
                            + " connections have not yet.");
        }
        close(one);
    }

    private void pauseAccepting() {
        isAcceptPaused = true;
        acceptAgainNs = clock.nanoTime() + ACCEPT_PAUSE_NS;
        interestInAccepting(0);
    }

    private void interestInAccepting(int operations) {
        for (int i = 0; i < listeners.size(); i++) {
            SelectionKey key = listeners.get(i).channel().keyFor(selector);
            if (key != null && key.isValid()) {
                key.interestOps(operations);
            }
        }
    }

    private void duties() {
        for (ClientAttacher.Result r = attacher.poll(); r != null; r = attacher.poll()) {
            answered(r);
        }
        long now = clock.nanoTime();
        if (isAcceptPaused && now - acceptAgainNs >= 0) {
            interestInAccepting(SelectionKey.OP_ACCEPT);
            isAcceptPaused = false; // only now: without memory the next turn tries again
        }
        int open = 0;
        int kept = 0;
        while (kept < clients.size()) {
            RemoteClient client = clients.get(kept);
            if (!client.isClosed()) {
                mind(client, now);
            }
            if (client.isClosed()) {
                clients.remove(kept);
                continue;
            }
            kept++;
            if (client.state() == RemoteClient.State.OPEN
                    || client.state() == RemoteClient.State.ATTACHING) {
                open++;
            }
        }
        openClients = open;
        counters.connected.set(open);
    }

    private void mind(RemoteClient client, long nowNs) {
        try {
            long deadlineNs = client.deadlineNs();
            if (deadlineNs != Long.MAX_VALUE && nowNs - deadlineNs >= 0) {
                switch (client.state()) {
                    case GREETING -> timeOut(client, "did not introduce itself");
                    case ATTACHING -> timeOut(client, "got no session");
                    default -> close(client);
                }
            } else if (client.waitsForNothing()) {
                evict(client, "there was no memory for its session");
            } else if (!client.isHot()) { // its bytes may have come already
                evictIfStalled(client, nowNs);
            }
        } catch (OutOfMemoryError e) {
            ranOut(client, e);
        }
    }

    private void timeOut(RemoteClient client, String what) {
        counters.refused.addBySingleWriter(1);
        note("A remote client ", what, " in time.");
        refuse(client, ErrorCode.ETIMEDOUT, "This client " + what + " in time.");
    }

    private void answered(ClientAttacher.Result result) {
        try {
            PeerAttachment attachment = result.attachment();
            if (attachment != null) {
                attached(result.client(), attachment);
            } else if (result.client().isAttaching()) { // else none must be closed for its refusal
                refuse(result.client(), result.refusal());
            }
        } catch (OutOfMemoryError e) {
            ranOut(result.client(), e);
        }
    }

    private void refuse(RemoteClient client, @Nullable BmiException refusal) {
        counters.refused.addBySingleWriter(1);
        ErrorCode code = refusal == null ? ErrorCode.EIO : refusal.code();
        note("Refused a remote client: it got no session (", code, ").");
        String sentence = refusal == null ? "" : String.valueOf(refusal.getMessage());
        refuse(client, code, sentence);
    }

    private void attached(RemoteClient client, PeerAttachment attachment) {
        try {
            if (client.isAttaching()) {
                client.open(attachment, selector);
            }
        } catch (IOException | RuntimeException e) {
            log(System.Logger.Level.DEBUG, "a link could not be opened", e);
            close(client);
        } finally {
            if (!client.has(attachment)) {
                attachment.close();
            }
        }
    }
}
