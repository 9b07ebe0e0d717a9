package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.BmiException;
import org.jbmi.mempool.NanoClock;
import org.jbmi.observe.Counters;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.host.place.OwnFile;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A gateway without a thread, which its owner runs step by step. The owner provides its sockets,
 * its selector and the sessions of its clients. Everything else is what runs in a daemon. For the
 * simulator, as {@link org.jbmi.zbmi.host.SteppedHost}.
 *
 * <p>Not thread-safe.
 */
public final class SteppedGateway {
    private final Selector selector;
    private final GatewayLoop loop;
    private final Queue<ClientAttacher.Result> results = new ArrayDeque<>();

    /** A remote client that waits for its session. */
    public static final class Waiting {
        private final RemoteClient client;

        private Waiting(RemoteClient client) {
            this.client = client;
        }
    }

    /**
     * Makes one. All clients belong to the gateway's own user.
     *
     * @param selector for all its sockets
     * @param listener where clients connect, non-blocking
     * @param maxClients how many at a time
     * @param stallNs how long a client may stall a transfer
     * @param handshakeNs how long a client may take for its hello
     * @param clock for both
     * @param errors collects errors
     * @param counters its counters
     * @param attacher is asked for a session, to be answered by {@link #attached} or {@link
     *     #refused} between two turns
     */
    public SteppedGateway(
            Selector selector,
            ServerSocketChannel listener,
            int maxClients,
            long stallNs,
            long handshakeNs,
            NanoClock clock,
            ErrorLog errors,
            Counters counters,
            Consumer<Waiting> attacher)
            throws IOException {
        this.selector = selector;
        GatewaySettings settings =
                new GatewaySettings(
                        "stepped",
                        Set.of(),
                        "",
                        -1,
                        AddressRanges.parse(""),
                        maxClients,
                        stallNs,
                        handshakeNs);
        this.loop =
                new GatewayLoop(
                        settings,
                        new GatewayAccess(settings, channel -> "self", "self"),
                        selector,
                        List.of(
                                new GatewayListener(
                                        listener, new OwnFile(Path.of(settings.socket()), null))),
                        new OwnersAttacher(attacher),
                        clock,
                        errors,
                        new GatewayCounters(counters));
    }

    private final class OwnersAttacher implements ClientAttacher {
        private final Consumer<Waiting> owner;

        OwnersAttacher(Consumer<Waiting> owner) {
            this.owner = owner;
        }

        @Override
        public boolean start(RemoteClient client) {
            owner.accept(new Waiting(client));
            return true;
        }

        @Override
        public @Nullable Result poll() {
            return results.poll();
        }
    }

    /**
     * A client has got its session.
     *
     * @param who whose it is
     * @param attachment of the session, which the gateway owns from now on
     */
    public void attached(Waiting who, PeerAttachment attachment) {
        results.add(new ClientAttacher.Result(who.client, attachment, null));
        selector.wakeup();
    }

    /**
     * A client gets no session.
     *
     * @param who it is
     * @param refusal why
     */
    public void refused(Waiting who, BmiException refusal) {
        results.add(new ClientAttacher.Result(who.client, null, refusal));
        selector.wakeup();
    }

    /** One turn of the gateway's thread, with at most one call of the selector that may wait. */
    public void turn() throws IOException {
        loop.turn();
    }
}
