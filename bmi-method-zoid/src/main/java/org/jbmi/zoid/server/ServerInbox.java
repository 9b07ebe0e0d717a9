package org.jbmi.zoid.server;

import org.jbmi.ErrorCode;
import org.jbmi.spi.MethodHost;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zoid.common.ZoidAddress;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/** What the engine tells the server by itself; called while messages are dispatched. */
final class ServerInbox implements PeerEvents {
    private static final System.Logger LOG = System.getLogger(ServerInbox.class.getName());

    private final MethodHost host;
    private final ServerCounters counters;
    private final ServerClients clients;
    private final SegmentMap map;
    private final MemorySegment segment;
    private final long maxUnexpectedBytes;
    private volatile @Nullable ServerOperations operations;
    private volatile @Nullable String broken;

    ServerInbox(
            MethodHost host,
            ServerCounters counters,
            ServerClients clients,
            SegmentMap map,
            MemorySegment segment,
            long maxUnexpectedBytes) {
        this.host = host;
        this.counters = counters;
        this.clients = clients;
        this.map = map;
        this.segment = segment;
        this.maxUnexpectedBytes = maxUnexpectedBytes;
    }

    /** Ties the knot: the operations exist only after the channel was opened with this. */
    void opened(ServerOperations newOperations) {
        operations = newOperations;
    }

    /** Why the session is over, or null. */
    @Nullable String broken() {
        return broken;
    }

    @Override
    public void onEvent(Message message) {
        if (!ServerEvents.isWellFormed(message)) {
            counters.protocolErrors.increment();
            return;
        }
        switch (message.kind()) {
            // Where a keeper runs, clients may be served before the operations are known here.
            case ServerEvents.UNEXPECTED -> onUnexpected(message);
            case ServerEvents.CLIENT_ATTACHED ->
                    clients.of(ServerEvents.session(message), ServerEvents.generation(message));
            case ServerEvents.CLIENT_GONE -> onGone(message);
            default -> onNews(message);
        }
    }

    private void onNews(Message message) {
        ServerOperations owner = operations;
        if (owner == null) {
            counters.protocolErrors.increment(); // nothing was posted yet
            return;
        }
        switch (message.kind()) {
            case ServerEvents.COMPLETION -> owner.onCompletion(message);
            case ServerEvents.REGISTERED,
                    ServerEvents.POST_COMPLETED,
                    ServerEvents.POST_REFUSED,
                    ServerEvents.CANCEL_REPLY ->
                    owner.onLateReply(message);
            default -> {
                // The late answer to a farewell is no news.
            }
        }
    }

    private void onGone(Message message) {
        int said = ServerEvents.goneCode(message);
        int code = said < 0 ? said : ErrorCode.EHOSTDOWN.negativeValue();
        int session = ServerEvents.session(message);
        int generation = ServerEvents.generation(message);
        // First, so that a post that does not see it is found in the queue.
        clients.gone(session, generation, code);
        ServerOperations owner = operations;
        if (owner != null) {
            owner.clientGone(session, generation, code);
        }
    }

    private void onUnexpected(Message message) {
        ZoidAddress from =
                clients.of(ServerEvents.session(message), ServerEvents.generation(message));
        long offset = ServerEvents.offset(message);
        long bytes = ServerEvents.bytes(message);
        int messageClass = ServerEvents.messageClass(message);
        if (from == null
                || messageClass < 0
                || messageClass > 255
                || bytes > maxUnexpectedBytes
                || !map.isUnexpected(offset, bytes)) {
            counters.protocolErrors.increment();
            return;
        }
        counters.unexpectedReceived.addBySingleWriter(1); // one thread dispatches at a time
        host.deliverUnexpected(
                from, ServerEvents.tag(message), messageClass, 0, segment, offset, bytes, offset);
    }

    @Override
    public void afterDispatch() {
        ServerOperations owner = operations;
        if (owner != null) {
            owner.runDeferred();
        }
    }

    @Override
    public void onLeadWanted() {
        host.wake();
    }

    @Override
    public void onBroken(String reason) {
        broken = reason;
        int code = ErrorCode.EHOSTDOWN.negativeValue();
        clients.allGone(code);
        ServerOperations owner = operations;
        if (owner != null) {
            owner.endAll(code);
        }
        // Last: there may be no memory for words.
        LOG.log(System.Logger.Level.WARNING, "The session with the zoid daemon ended: {0}", reason);
    }
}
