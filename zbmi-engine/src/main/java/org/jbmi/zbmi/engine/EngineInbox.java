package org.jbmi.zbmi.engine;

import static org.jbmi.zbmi.protocol.SegmentMap.SERVER_SESSION;

import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerPost;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jspecify.annotations.Nullable;

/**
 * Decodes what peers sent, and passes it to an engine. A message that no peer may send is a {@link
 * Fault}. For the engine's thread alone; allocates nothing.
 */
public final class EngineInbox {
    private final Engine engine;
    private final @Nullable EngineRecorder recorder;
    private final Message recorded = new Message();

    /**
     * Makes one.
     *
     * @param engine to pass events to
     */
    public EngineInbox(Engine engine) {
        this.engine = engine;
        this.recorder = engine.recorder();
    }

    /**
     * Passes a message on.
     *
     * @param session whose port it came from
     * @param message what came
     * @param nowNs the time
     */
    public void receive(int session, Message message, long nowNs) {
        if (recorder != null) {
            recorder.message(session, message, nowNs);
        }
        if (session == SERVER_SESSION) {
            fromServer(message, nowNs);
        } else {
            fromClient(session, message, nowNs);
        }
    }

    private void fromClient(int client, Message m, long nowNs) {
        if (!ClientRequests.isWellFormed(m)) {
            engine.fault(client, Fault.MALFORMED);
            return;
        }
        switch (m.kind()) {
            case ClientRequests.SEND -> send(client, m, nowNs);
            case ClientRequests.RECEIVE ->
                    engine.receive(
                            client,
                            ClientRequests.correlation(m),
                            ClientRequests.reference(m),
                            ClientRequests.tag(m),
                            ClientRequests.bytes(m),
                            ClientRequests.timeoutMs(m),
                            ClientRequests.inlineRoom(m),
                            nowNs);
            case ClientRequests.SEND_UNEXPECTED -> sendUnexpected(client, m, nowNs);
            case ClientRequests.SEND_SHORT -> sendShort(client, m, nowNs);
            case ClientRequests.TEST ->
                    engine.test(
                            client,
                            ClientRequests.correlation(m),
                            ClientRequests.testTimeoutMs(m),
                            nowNs);
            case ClientRequests.DISARM -> engine.disarm(client, ClientRequests.correlation(m));
            case ClientRequests.DONE ->
                    engine.done(
                            client,
                            ClientRequests.grantId(m),
                            ClientRequests.doneBytes(m),
                            ClientRequests.doneStatus(m));
            case ClientRequests.EXPIRES ->
                    engine.expires(
                            client,
                            ClientRequests.expiringOperation(m),
                            ClientRequests.reference(m),
                            ClientRequests.expiresMs(m),
                            nowNs);
            case ClientRequests.CANCELLED ->
                    engine.cancelled(
                            client,
                            ClientRequests.cancelNumber(m),
                            ClientRequests.reference(m),
                            nowNs);
            default ->
                    engine.withdraw(
                            client,
                            ClientRequests.withdrawnOperation(m),
                            ClientRequests.reference(m));
        }
    }

    private void send(int client, Message m, long nowNs) {
        engine.send(
                client,
                ClientRequests.correlation(m),
                ClientRequests.reference(m),
                ClientRequests.tag(m),
                ClientRequests.bytes(m),
                ClientRequests.timeoutMs(m),
                ClientRequests.eagerSlot(m),
                ClientRequests.eagerSequence(m),
                nowNs);
    }

    private void sendUnexpected(int client, Message m, long nowNs) {
        int slot = ClientRequests.eagerSlot(m);
        engine.sendUnexpected(
                client,
                ClientRequests.correlation(m),
                ClientRequests.reference(m),
                ClientRequests.tag(m),
                ClientRequests.messageClass(m),
                ClientRequests.bytes(m),
                ClientRequests.timeoutMs(m),
                slot,
                ClientRequests.eagerSequence(m),
                slot == ClientRequests.INLINE ? m : null,
                nowNs);
    }

    private void sendShort(int client, Message m, long nowNs) {
        engine.sendUnexpected(
                client,
                0,
                ClientRequests.reference(m),
                ClientRequests.tag(m),
                ClientRequests.shortClass(m),
                ClientRequests.shortBytes(m),
                0,
                ClientRequests.INLINE,
                0,
                m,
                nowNs);
    }

    /**
     * Takes a post of a server in this process. Recorded as the message that it stands for.
     *
     * @param correlation of the call, see {@link ServerRequests#isAwaited}
     * @param p what is posted; used during the call only
     * @param nowNs the time
     */
    public void post(long correlation, ServerPost p, long nowNs) {
        if (recorder != null) {
            ServerRequests.post(recorded, correlation, p);
            recorder.message(SERVER_SESSION, recorded, nowNs);
        }
        engine.post(
                p.isSend,
                correlation,
                p.reference,
                p.session,
                p.generation,
                p.tag,
                p.bytes,
                p.offset,
                p.listOffset,
                p.listEntries,
                p.expiryMs,
                nowNs);
    }

    /** Takes a cancel of a server in this process, as {@link #post} takes posts. */
    public void cancel(long correlation, long reference, long zoidId, long nowNs) {
        if (recorder != null) {
            ServerRequests.cancel(recorded, correlation, reference, zoidId);
            recorder.message(SERVER_SESSION, recorded, nowNs);
        }
        engine.cancel(correlation, reference, zoidId);
    }

    /** Takes memory back from a server in this process, as {@link #post} takes posts. */
    public void unexpectedFree(long offset, long nowNs) {
        if (recorder != null) {
            ServerRequests.unexpectedFree(recorded, offset);
            recorder.message(SERVER_SESSION, recorded, nowNs);
        }
        engine.unexpectedFree(offset);
    }

    /** Takes the farewell of a server in this process, as {@link #post} takes posts. */
    public void finish(long correlation, long nowNs) {
        if (recorder != null) {
            ServerRequests.finish(recorded, correlation);
            recorder.message(SERVER_SESSION, recorded, nowNs);
        }
        engine.finish(correlation);
    }

    private void fromServer(Message m, long nowNs) {
        if (!ServerRequests.isWellFormed(m)) {
            engine.fault(SERVER_SESSION, Fault.MALFORMED);
            return;
        }
        switch (m.kind()) {
            case ServerRequests.POST_SEND, ServerRequests.POST_RECEIVE ->
                    engine.post(
                            m.kind() == ServerRequests.POST_SEND,
                            ServerRequests.correlation(m),
                            ServerRequests.operationId(m),
                            ServerRequests.session(m),
                            ServerRequests.generation(m),
                            ServerRequests.tag(m),
                            ServerRequests.bytes(m),
                            ServerRequests.offset(m),
                            ServerRequests.listOffset(m),
                            ServerRequests.listEntries(m),
                            ServerRequests.expiryMs(m),
                            nowNs);
            case ServerRequests.CANCEL ->
                    engine.cancel(
                            ServerRequests.correlation(m),
                            ServerRequests.operationId(m),
                            ServerRequests.zoidId(m));
            case ServerRequests.UNEXPECTED_FREE ->
                    engine.unexpectedFree(ServerRequests.freedOffset(m));
            default -> engine.finish(ServerRequests.correlation(m));
        }
    }
}
