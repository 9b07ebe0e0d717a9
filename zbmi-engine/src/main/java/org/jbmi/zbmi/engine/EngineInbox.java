package org.jbmi.zbmi.engine;

import static org.jbmi.zbmi.protocol.SegmentMap.SERVER_SESSION;

import org.jbmi.zbmi.engine.port.EngineRecorder;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerPost;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jspecify.annotations.Nullable;

/**
 * Decodes messages of peers and calls the engine. A message that no peer may send is a {@link
 * Fault}. For the engine's thread alone; allocates nothing.
 */
public final class EngineInbox {
    private final Engine engine;
    private final @Nullable EngineRecorder recorder;
    private final ServerPost post = new ServerPost();

    /**
     * Makes one.
     *
     * @param engine gets the events
     */
    public EngineInbox(Engine engine) {
        this.engine = engine;
        this.recorder = engine.recorder();
    }

    /**
     * Passes a message on.
     *
     * @param session whose port it came from
     * @param message the message
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
            engine.state().fault(engine.state().client(client), Fault.MALFORMED);
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
                            ClientRequests.dataRoom(m),
                            nowNs);
            case ClientRequests.SEND_UNEXPECTED -> sendUnexpected(client, m, nowNs);
            case ClientRequests.SEND_SHORT -> sendShort(client, m, nowNs);
            case ClientRequests.SEND_LENT ->
                    engine.sendLent(
                            client,
                            ClientRequests.lentSlot(m),
                            ClientRequests.lentTag(m),
                            ClientRequests.lentClass(m),
                            ClientRequests.lentBytes(m),
                            nowNs);
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

    private void fromServer(Message m, long nowNs) {
        if (!ServerRequests.isWellFormed(m)) {
            engine.state().serverFault(Fault.MALFORMED);
            return;
        }
        switch (m.kind()) {
            case ServerRequests.POST_SEND, ServerRequests.POST_RECEIVE ->
                    engine.post(ServerRequests.correlation(m), ServerRequests.read(m, post), nowNs);
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
