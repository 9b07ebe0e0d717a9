package org.jbmi.zoid.client;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.Operation;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.ClientLinkProvider;
import org.jbmi.zbmi.link.PeerAttachment;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.HostKind;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.ZoidKnobs;
import org.jbmi.zoid.common.Limits;
import org.jbmi.zoid.common.Seams;
import org.jbmi.zoid.common.SessionGuard;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/** A client's life with one daemon: from the handshake until either of them goes. */
final class ClientSession implements PeerEvents {
    private static final System.Logger LOG = System.getLogger(ClientSession.class.getName());
    private static final long ASK_NS = TimeUnit.SECONDS.toNanos(1);

    private final ClientCounters counters;
    private final Seams seams;
    private final ClientSettings settings;
    private final SocketChannel socket;
    private final SessionGuard guard = new SessionGuard();
    private final ClientLink link;
    private final ClientWait wait;
    private volatile @Nullable ClientOperations operations;
    private volatile @Nullable String broken;

    /** Opens a session over an attachment, which it owns from now on. */
    ClientSession(
            MethodHost host,
            PeerAttachment attachment,
            ClientLinkProvider provider,
            ClientCounters counters,
            ClientMemory memory,
            Seams seams) {
        Configuration knobs = host.configuration();
        this.counters = counters;
        this.seams = seams;
        this.settings =
                new ClientSettings(
                        Limits.of(knobs, attachment.welcome().limits()),
                        TimeUnit.MILLISECONDS.toNanos(knobs.get(ZoidKnobs.CALL_TIMEOUT_MS)),
                        TimeUnit.MILLISECONDS.toNanos(knobs.get(ZoidKnobs.CLOSE_TIMEOUT_MS)),
                        seams.clock());
        this.socket = attachment.socket();
        this.link = provider.open(attachment, this);
        this.wait = new ClientWait(link, seams.clock(), counters);
        this.operations = new ClientOperations(host, link, counters, memory, wait, this, settings);
        counters.attachments.increment();
    }

    MethodLimits limits() {
        return settings.limits();
    }

    SessionGuard guard() {
        return guard;
    }

    ClientLink link() {
        return link;
    }

    /** Whether the engine runs in the server. */
    boolean isOneHop() {
        return link.welcome().host() != HostKind.DAEMON;
    }

    boolean isBroken() {
        return broken != null || link.brokenReason() != null;
    }

    private ClientOperations operations() {
        ClientOperations own = operations;
        if (own == null) {
            throw new IllegalStateException("The session is not open yet.");
        }
        return own;
    }

    long post(Operation operation, int postTimeoutMs) {
        return operations().post(operation, postTimeoutMs);
    }

    CancelOutcome cancel(ClientOperation slot, Operation operation, long id, int code) {
        return operations().cancel(slot, operation, id, code);
    }

    int progress() {
        int dispatched = link.progress();
        int moved = operations().runDeferred();
        return Math.max(0, dispatched) + moved;
    }

    int poll() {
        if (!isBroken() && !wait.isOpen() && operations().isAnyPending()) {
            operations().ask(ASK_NS);
        }
        return progress();
    }

    void waitBegins(long deadlineNs) {
        wait.begins(deadlineNs, operations().isAnyPending());
    }

    /** Before a sleep: asks again if what was asked for is over and the caller still waits. */
    void beforeSleep() {
        if (operations().isAnyPending()) {
            wait.arm();
        }
    }

    void waitOver() {
        wait.over();
    }

    @Override
    public void onEvent(Message message) {
        ClientOperations own = operations;
        if (own == null || !ClientEvents.isWellFormed(message)) {
            counters.protocolErrors.increment();
        } else if (message.kind() == ClientEvents.TEST_REPLY) {
            wait.onReply(message);
        } else {
            own.onNews(message);
        }
    }

    @Override
    public void afterDispatch() {
        ClientOperations own = operations;
        if (own != null) {
            own.runDeferred();
        }
    }

    @Override
    public void onBroken(String reason) {
        broken = reason;
        LOG.log(System.Logger.Level.WARNING, "The session with the zoid daemon ended: {0}", reason);
        ClientOperations own = operations;
        if (own != null) {
            own.endAll(ErrorCode.EHOSTDOWN.negativeValue());
        }
    }

    /** A selector must not find the end of the stream again and again. */
    void hangUp() {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "closing a socket", e);
        }
    }

    /**
     * Ends the session; what is pending ends with a code.
     *
     * @return false if threads are still inside: their memory stays mapped
     */
    boolean close(int code) {
        if (!guard.shut()) {
            return guard.isEmpty() && letGo();
        }
        operations().cancelAll(code);
        operations().runDeferred();
        boolean empty = guard.awaitEmpty(seams.clock(), settings.closeTimeoutNs(), link::wake);
        awaitTaken();
        operations().endAll(code);
        operations().runDeferred();
        if (empty) {
            return letGo();
        }
        hangUp();
        LOG.log(
                System.Logger.Level.WARNING,
                "Threads are still inside zoid calls at close; their memory stays mapped");
        return false;
    }

    private boolean letGo() {
        try {
            link.close();
            return true;
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "the segment stays mapped", e);
            return false;
        }
    }

    // Eager bytes that the engine has taken: their outcome is on its way, and is the real one.
    private void awaitTaken() {
        long end = seams.clock().nanoTime() + settings.closeTimeoutNs();
        while (operations().isAnyPending() && !isBroken() && seams.clock().nanoTime() - end < 0) {
            if (progress() == 0) {
                Thread.onSpinWait();
            }
        }
    }
}
