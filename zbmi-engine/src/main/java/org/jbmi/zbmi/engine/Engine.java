package org.jbmi.zbmi.engine;

import org.jbmi.zbmi.engine.port.EngineCounters;
import org.jbmi.zbmi.engine.port.EngineHost;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.engine.port.EnginePayload;
import org.jbmi.zbmi.engine.port.EngineRecorder;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.engine.port.OperationVisitor;
import org.jbmi.zbmi.engine.state.ClientSession;
import org.jbmi.zbmi.engine.state.EngineOutbox;
import org.jbmi.zbmi.engine.state.EngineState;
import org.jbmi.zbmi.engine.state.Operation;
import org.jbmi.zbmi.engine.state.Timed;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.ServerOutput;
import org.jbmi.zbmi.protocol.ServerPost;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jspecify.annotations.Nullable;

/**
 * The zoid engine: it matches sends and receives, decides which client may move bytes where, and
 * owns the memory for unexpected messages. A pure state machine. Events come as calls, with the
 * time where it matters; actions go to an {@link EngineHost} and an {@link EnginePayload} before
 * the call returns. It does no input or output, reads no clock and starts no thread. It allocates
 * only while its pools grow.
 *
 * <p>Not thread-safe: its host calls it from one thread at a time. It ignores events of a session
 * that is not attached, and messages of a client that broke the protocol. Deadlines of such a
 * client still count.
 *
 * <p>The rules are in the classes behind it. {@link Matcher}: order, sizes, eager messages. {@link
 * Grants}: who may move the bytes. {@link Unexpected}: shares of memory. {@link Lifecycle}: ends of
 * peers. The others are {@link ClientPosts}, {@link ClientWaits}, {@link Transfers} and {@link
 * ServerCalls}.
 */
public final class Engine {
    /** {@link #sendAtOnce}: nothing was done. */
    public static final long NOT_SENT = -1;

    /** {@link #sendAtOnce}: the client has the message, and the send is over. */
    public static final long SENT = 0;

    private final EngineState state;
    private final Outcomes outcomes;
    private final Unexpected unexpected;
    private final ClientPosts posts;
    private final ClientWaits waits;
    private final Transfers transfers;
    private final ServerCalls serverCalls;
    private final Lifecycle lifecycle;
    private final @Nullable EngineRecorder recorder;
    private final ServerPost post = new ServerPost();

    /** Makes an engine without sessions. */
    public Engine(EngineLimits limits, EngineHost host, EnginePayload payload) {
        this(limits, host, null, payload, null);
    }

    /**
     * Makes an engine without sessions, whose events are recorded.
     *
     * @param host gets what the engine says, as messages
     * @param ownServer a server in this process, which is called directly; null if there is none
     * @param recorder records every event; null for none
     */
    public Engine(
            EngineLimits limits,
            EngineHost host,
            @Nullable ServerOutput ownServer,
            EnginePayload payload,
            @Nullable EngineRecorder recorder) {
        this.recorder = recorder;
        EngineOutbox output = new EngineOutbox(host);
        this.state =
                new EngineState(limits, output, ownServer == null ? output : ownServer, payload);
        this.outcomes = new Outcomes(state);
        Grants grants = new Grants(state, outcomes);
        HandOvers handOvers = new HandOvers(state, outcomes);
        this.unexpected = new Unexpected(state, outcomes, grants);
        Matcher matcher = new Matcher(state, outcomes, grants, handOvers, unexpected);
        this.posts = new ClientPosts(state, outcomes, matcher, unexpected);
        this.waits = new ClientWaits(state, matcher, unexpected);
        this.transfers = new Transfers(state, outcomes, grants, matcher, unexpected, handOvers);
        this.serverCalls = new ServerCalls(state, outcomes, grants, matcher);
        this.lifecycle = new Lifecycle(state, outcomes, matcher, unexpected, transfers, handOvers);
    }

    /** Whether events are recorded, and so requests of the server must come as messages. */
    public boolean isRecorded() {
        return recorder != null;
    }

    /** Hands over what was counted since the last call. */
    public void takeCounts(EngineCounters into) {
        state.takeCounts(into);
    }

    private void record(EngineRecorder.Event event, int session, long first, long second) {
        if (recorder != null) {
            recorder.event(event, session, first, second);
        }
    }

    /** Records the process of a session that is about to be attached, by its pid. */
    public void introduced(int session, long pid) {
        record(EngineRecorder.Event.INTRODUCED, session, pid, 0);
    }

    /** Whether a client session is free: nobody can touch memory of its last client any more. */
    public boolean mayAttachClient(int client) {
        return state.client(client).isFree();
    }

    /**
     * A client has attached.
     *
     * @param client a session that is free
     * @param generation its generation, used for the first time
     */
    public void clientAttached(int client, int generation) {
        record(EngineRecorder.Event.CLIENT_ATTACHED, client, generation, 0);
        lifecycle.clientAttached(state.client(client), generation);
    }

    /**
     * A client has gone, or the host ends its session. Its operations end, and so do the server's
     * operations with it. If its process may still live, operations of the server whose bytes it
     * has claimed wait until {@link #clientProvedDead}. So does the use of its session by another
     * client.
     *
     * @param code the negative code with which the server's operations end
     * @param isProved whether it can touch no memory any more: it said goodbye, or its process has
     *     ended
     */
    public void clientGone(int client, int code, boolean isProved) {
        record(EngineRecorder.Event.CLIENT_GONE, client, code, isProved ? 1 : 0);
        lifecycle.clientGone(state.client(client), code);
        if (isProved) {
            lifecycle.clientProvedDead(state.client(client));
        }
    }

    /** The process of a client that has gone has ended: it can touch no memory any more. */
    public void clientProvedDead(int client) {
        record(EngineRecorder.Event.CLIENT_PROVED_DEAD, client, 0, 0);
        lifecycle.clientProvedDead(state.client(client));
    }

    /** Whether a server may attach: none is attached, and no bytes of the last one move. */
    public boolean mayAttachServer() {
        return lifecycle.mayAttachServer();
    }

    /** Whether a server is attached and has not said goodbye. */
    public boolean isServerAttached() {
        return state.server.isAttached;
    }

    /**
     * A server has attached.
     *
     * @param generation its generation, used for the first time
     */
    public void serverAttached(int generation) {
        record(EngineRecorder.Event.SERVER_ATTACHED, SegmentMap.SERVER_SESSION, generation, 0);
        lifecycle.serverAttached();
    }

    /**
     * The server has gone, or the host ends its session. Pending operations of clients end with
     * EHOSTDOWN, unless its goodbye has ended them with EPIPE.
     *
     * @param isProved whether it can touch no memory any more
     */
    public void serverGone(boolean isProved) {
        record(EngineRecorder.Event.SERVER_GONE, SegmentMap.SERVER_SESSION, isProved ? 1 : 0, 0);
        lifecycle.serverGone();
        if (isProved) {
            lifecycle.serverProvedDead();
        }
    }

    /** The process of a server that has gone has ended: it can touch no memory any more. */
    public void serverProvedDead() {
        record(EngineRecorder.Event.SERVER_PROVED_DEAD, SegmentMap.SERVER_SESSION, 0, 0);
        lifecycle.serverProvedDead();
    }

    /**
     * A message of a peer; one that no peer may send is a {@link Fault}.
     *
     * @param message used during the call only
     */
    public void receive(int session, Message message, long nowNs) {
        if (recorder != null) {
            recorder.message(session, message, nowNs);
        }
        if (session == SegmentMap.SERVER_SESSION) {
            fromServer(message, nowNs);
        } else {
            fromClient(state.client(session), message, nowNs);
        }
    }

    private void fromClient(ClientSession client, Message m, long nowNs) {
        if (!ClientRequests.isWellFormed(m)) {
            state.fault(client, Fault.MALFORMED);
        } else if (m.kind() == ClientRequests.EXPIRES) {
            expires(client, m, nowNs);
        } else if (client.isListening()) {
            heard(client, m, nowNs);
        }
    }

    // Ignored for an operation that is over, of another session, or still in its post.
    private void expires(ClientSession client, Message m, long nowNs) {
        Operation operation = state.operations.find(ClientRequests.expiringOperation(m));
        if (operation != null
                && !operation.ofServer
                && operation.client() == client
                && operation.reference == ClientRequests.reference(m)
                && !operation.isCallOpen()) {
            outcomes.expires(operation, ClientRequests.expiresMs(m), nowNs);
        }
    }

    private void heard(ClientSession client, Message m, long nowNs) {
        switch (m.kind()) {
            case ClientRequests.SEND -> posts.send(client, m, nowNs);
            case ClientRequests.RECEIVE -> posts.receive(client, m, nowNs);
            case ClientRequests.SEND_UNEXPECTED -> posts.sendUnexpected(client, m, nowNs);
            case ClientRequests.SEND_SHORT -> posts.sendShort(client, m, nowNs);
            case ClientRequests.SEND_LENT -> posts.sendLent(client, m, nowNs);
            case ClientRequests.TEST ->
                    waits.test(
                            client,
                            ClientRequests.correlation(m),
                            ClientRequests.testTimeoutMs(m),
                            nowNs);
            case ClientRequests.DISARM -> waits.disarm(client, ClientRequests.correlation(m));
            case ClientRequests.DONE ->
                    transfers.done(
                            client,
                            ClientRequests.grantId(m),
                            ClientRequests.doneBytes(m),
                            ClientRequests.doneStatus(m));
            case ClientRequests.CANCELLED ->
                    transfers.cancelled(
                            client,
                            ClientRequests.cancelNumber(m),
                            ClientRequests.reference(m),
                            nowNs);
            default ->
                    transfers.withdraw(
                            client,
                            ClientRequests.withdrawnOperation(m),
                            ClientRequests.reference(m));
        }
    }

    private void fromServer(Message m, long nowNs) {
        if (!ServerRequests.isWellFormed(m)) {
            state.serverFault(Fault.MALFORMED);
            return;
        }
        switch (m.kind()) {
            case ServerRequests.POST_SEND, ServerRequests.POST_RECEIVE ->
                    post(ServerRequests.correlation(m), ServerRequests.read(m, post), nowNs);
            case ServerRequests.CANCEL ->
                    cancel(
                            ServerRequests.correlation(m),
                            ServerRequests.operationId(m),
                            ServerRequests.zoidId(m));
            case ServerRequests.UNEXPECTED_FREE -> unexpectedFree(ServerRequests.freedOffset(m));
            default -> finish(ServerRequests.correlation(m));
        }
    }

    /**
     * See {@link org.jbmi.zbmi.protocol.ServerRequests#POST_SEND} and POST_RECEIVE.
     *
     * @param post used during the call only
     */
    public void post(long correlation, ServerPost post, long nowNs) {
        if (state.server.isAttached) {
            serverCalls.post(correlation, post, nowNs);
        }
    }

    /**
     * Sends a message of the server to a receive that waits for it, if order and sizes allow that.
     * This needs neither a grant nor an operation. Not recorded.
     *
     * @return {@link #NOT_SENT}, {@link #SENT}, or the positive id of an operation: the client may
     *     just have cancelled the receive; {@link #adopt} must follow
     */
    public long sendAtOnce(
            int session, int generation, int tag, long offset, long bytes, long nowNs) {
        return state.server.isAttached && recorder == null
                ? serverCalls.sendAtOnce(session, generation, tag, offset, bytes, nowNs)
                : NOT_SENT;
    }

    /** The server's reference to the operation of a {@link #sendAtOnce}; 0 or less: it has none. */
    public void adopt(long id, long reference) {
        Operation send = state.operations.find(id);
        if (send != null) {
            send.reference = reference;
            send.isUnwanted = reference <= 0;
        }
    }

    /** See {@link org.jbmi.zbmi.protocol.ServerRequests#CANCEL}. */
    public void cancel(long correlation, long reference, long zoidId) {
        if (state.server.isAttached) {
            serverCalls.cancel(correlation, reference, zoidId);
        }
    }

    /** See {@link org.jbmi.zbmi.protocol.ServerRequests#UNEXPECTED_FREE}. */
    public void unexpectedFree(long offset) {
        if (state.server.isAttached) {
            unexpected.free(offset);
        }
    }

    /** See {@link org.jbmi.zbmi.protocol.ServerRequests#FINISH}. */
    public void finish(long correlation) {
        if (state.server.isAttached) {
            lifecycle.serverFinished(correlation);
        }
    }

    /**
     * Does what is due: sends answers that were held back, ends waits, and serves messages that
     * wait for freed memory.
     */
    public void tick(long nowNs) {
        record(EngineRecorder.Event.TICK, SegmentMap.SERVER_SESSION, nowNs, 0);
        if (unexpected.isServiceDue()) {
            unexpected.serveWaiting();
        }
        Timed first = state.deadlines.first();
        while (first != null && first.deadlineNs - nowNs <= 0) {
            if (first instanceof ClientSession client) {
                waits.expire(client);
            } else if (first instanceof Operation.Registration entry) {
                timePassed(entry.operation);
            }
            first = state.deadlines.first();
        }
    }

    private void timePassed(Operation operation) {
        if (operation.isCallOpen()) {
            outcomes.answerRegistered(operation);
        } else if (operation.ofServer) {
            serverCalls.expire(operation);
        } else {
            transfers.expire(operation);
        }
    }

    /**
     * How long until {@link #tick} has something to do.
     *
     * @return nanoseconds, 0 if something is due, {@link Long#MAX_VALUE} if nothing is planned
     */
    public long nanosToNextDeadline(long nowNs) {
        if (unexpected.isServiceDue()) {
            return 0;
        }
        Timed first = state.deadlines.first();
        return first == null ? Long.MAX_VALUE : Math.max(0, first.deadlineNs - nowNs);
    }

    /** Whether an operation has a deadline, or its answer is held back. */
    public boolean hasDeadlines() {
        return state.deadlines.hasOperations();
    }

    /** Operations registered or granted, of all sessions. */
    public int pendingOperations() {
        return state.operations.inUse();
    }

    /** Blocks of the unexpected region that are being written, complete, or lent to the server. */
    public int liveUnexpectedBlocks() {
        return unexpected.region().liveBlocks();
    }

    /** Transfers of the expected region whose server has gone. */
    public int orphanMovers() {
        return state.server.orphanMovers;
    }

    /**
     * Whether a receive of the server would be refused because the message that waits for it is too
     * long. A client may have cancelled that message, with the cancel still in its lane.
     *
     * @return whether to read the client's lane before the post
     */
    public boolean isMisfit(int session, int tag, long bytes) {
        return serverCalls.isMisfit(session, tag, bytes);
    }

    /**
     * Shows some of the operations, and why each is waiting: those of one page of the list of
     * slots. The list is as long as the most operations that there have been at one time. The time
     * grows with {@code mostSlots}.
     *
     * @param firstSlot where the page begins: 0, or what the page before returned
     * @param visitor is shown them, in no particular order; must not call the engine
     * @return where the next page begins, or -1 if there is none
     */
    public int showOperations(
            int firstSlot,
            int mostSlots,
            int mostOperations,
            OperationVisitor visitor,
            long nowNs) {
        return state.operations.show(
                firstSlot, mostSlots, mostOperations, visitor, nowNs, state.server.isAttached);
    }

    /** For the audit and tests: the state. */
    EngineState state() {
        return state;
    }

    Unexpected unexpected() {
        return unexpected;
    }
}
