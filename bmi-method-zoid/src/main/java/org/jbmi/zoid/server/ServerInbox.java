package org.jbmi.zoid.server;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.Operation;
import org.jbmi.zbmi.channel.DoorEvents;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zoid.common.ZoidAddress;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The engine's events for the server, and the clients that it knows from them: one record for each
 * generation of each session.
 */
final class ServerInbox implements DoorEvents {
    private static final System.Logger LOG = System.getLogger(ServerInbox.class.getName());

    private final MethodHost host;
    private final ServerCounters counters;
    private final AtomicReferenceArray<@Nullable ZoidAddress> clients;
    private final SegmentMap map;
    private final SharedMemory memory;
    private final MemorySegment segment;
    private final long maxUnexpectedBytes;
    private volatile @Nullable ServerOperations operations;
    private volatile @Nullable String broken;

    ServerInbox(
            MethodHost host,
            ServerCounters counters,
            SegmentMap map,
            SharedMemory memory,
            MemorySegment segment,
            long maxUnexpectedBytes) {
        this.host = host;
        this.counters = counters;
        this.clients = new AtomicReferenceArray<>(map.geometry().maxClients() + 1);
        this.map = map;
        this.memory = memory;
        this.segment = segment;
        this.maxUnexpectedBytes = maxUnexpectedBytes;
    }

    /** Sets the operations, which are made after the door that needs this object. */
    void opened(ServerOperations newOperations) {
        operations = newOperations;
    }

    /** Why the session is over; null while it is not. */
    @Nullable String broken() {
        return broken;
    }

    /** The record of a client; null if there is no such session. */
    @Nullable ZoidAddress client(int session, int generation) {
        if (session <= 0 || session >= clients.length()) {
            return null;
        }
        ZoidAddress known = clients.get(session);
        if (known != null && known.generation() == generation) {
            return known;
        }
        ZoidAddress fresh = ZoidAddress.client(session, generation);
        clients.set(session, fresh);
        return fresh;
    }

    /** The core removed a record: the client, if it lives, gets a new one with its next message. */
    void dropped(ZoidAddress address) {
        clients.compareAndSet(address.session(), address, null);
    }

    @Override
    public void answered(int kind, long correlation, long operationId, long value) {
        ServerOperations owner = operations;
        if (owner == null) {
            counters.protocolErrors.increment(); // nothing was posted yet
        } else {
            owner.onAnswer(operationId, kind, value);
        }
    }

    @Override
    public void sentAtOnce() {
        counters.sentAtOnce.addBySingleWriter(1); // under the engine's lock
    }

    @Override
    public long inDoubt(Operation operation, long zoidId) {
        ServerOperations owner = operations;
        return owner == null ? 0 : owner.inDoubt(operation, zoidId);
    }

    /** A late answer to the goodbye is ignored. */
    @Override
    public void finishReply(long correlation, int moversLeft) {}

    @Override
    public void completion(long operationId, int code, long bytes, int client, int generation) {
        ServerOperations owner = operations;
        if (owner == null) {
            counters.protocolErrors.increment(); // nothing was posted yet
        } else {
            owner.onCompletion(operationId, code, bytes);
        }
    }

    // Its record is made with its first message: to make it here would need memory in the middle of
    // an attachment.
    @Override
    public void clientAttached(int client, int generation) {}

    @Override
    public void clientGone(int client, int generation, int code) {
        int reason = code < 0 ? code : ErrorCode.EHOSTDOWN.negativeValue();
        // first, so that a post that does not see it is found in the queue
        gone(client, generation, reason);
        ServerOperations owner = operations;
        if (owner != null) {
            owner.clientGone(client, generation, reason);
        }
    }

    /** Posts to a client are refused from now on. */
    void gone(int session, int generation, int code) {
        boolean isSession = session > 0 && session < clients.length();
        ZoidAddress known = isSession ? clients.get(session) : null;
        if (known != null && known.generation() == generation) {
            fail(known, code);
        }
    }

    private void fail(ZoidAddress address, int code) {
        if (address.failure() == 0) {
            address.failure(code);
            host.peerFailed(address, code);
        }
    }

    // A gateway declares itself before its first message.
    private @Nullable ZoidAddress sender(int session, int generation) {
        ZoidAddress from = client(session, generation);
        if (from != null && !from.hasSent()) {
            from.sends(map.session(session).isRelayed(memory, generation));
        }
        return from;
    }

    @Override
    public void unexpected(
            int client,
            int generation,
            int tag,
            int messageClass,
            long offset,
            long bytes,
            long messageId) {
        ZoidAddress from = sender(client, generation);
        if (from == null
                || messageClass < 0
                || messageClass > 255
                || bytes > maxUnexpectedBytes
                || !(map.isUnexpected(offset, bytes) || map.isInEagerSlot(client, offset, bytes))) {
            counters.protocolErrors.increment();
            return;
        }
        counters.unexpectedReceived.addBySingleWriter(1); // one thread dispatches at a time
        host.deliverUnexpected(
                from, tag, messageClass, ErrorCode.SUCCESS, segment, offset, bytes, offset);
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
        for (int i = 1; i < clients.length(); i++) {
            ZoidAddress known = clients.get(i);
            if (known != null) {
                fail(known, code);
            }
        }
        ServerOperations owner = operations;
        if (owner != null) {
            owner.endAll(code);
        }
        // last: there may be no memory for the text
        LOG.log(System.Logger.Level.WARNING, "The session with the zoid daemon ended: {0}", reason);
    }
}
