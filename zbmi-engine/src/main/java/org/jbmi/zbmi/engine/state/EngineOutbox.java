package org.jbmi.zbmi.engine.state;

import static org.jbmi.zbmi.protocol.SegmentMap.SERVER_SESSION;

import org.jbmi.zbmi.engine.port.EngineHost;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerOutput;

/**
 * The output of the engine: one method for each message of {@link ClientEvents}, and those of
 * {@link ServerOutput}. Encodes it as messages for a host, in the order in which they must go. For
 * the engine's thread alone; allocates nothing.
 */
public final class EngineOutbox implements ServerOutput {
    private final EngineHost host;
    private final Message message = new Message();

    /** The output for a host. */
    public EngineOutbox(EngineHost host) {
        this.host = host;
    }

    /** A client's post is registered. */
    public void pending(int client, long correlation, long reference, long operationId) {
        host.send(client, ClientEvents.pending(message, correlation, reference, operationId));
    }

    /** A client may move bytes; the partner tells one message of the server's from another. */
    public void grant(
            int client,
            long correlation,
            long reference,
            long operationId,
            long grantId,
            long bytes,
            long offset,
            long listOffset,
            int listEntries,
            int window,
            int partner,
            long claimWord) {
        ClientEvents.grant(message, correlation, reference, operationId, grantId, bytes);
        ClientEvents.grantPlace(
                message, offset, listOffset, listEntries, window, partner, claimWord);
        host.send(client, message);
    }

    /**
     * The bytes of a client's receive, which ends with this message.
     *
     * @return whether they are published; if not, nothing was sent
     */
    public boolean data(int client, long reference, long bytes, long offset) {
        ClientEvents.data(message, reference, bytes);
        return host.sendData(client, message, offset, bytes);
    }

    /** Whether {@link #dataSlot} would publish. */
    public boolean mayPublish(int client) {
        return host.mayPublish(client);
    }

    /**
     * The bytes of a client's receive are in a data slot; the receive ends with this message.
     *
     * @return whether it is published; if not, nothing was sent
     */
    public boolean dataSlot(int client, long reference, long bytes, int slot) {
        return host.sendData(client, ClientEvents.dataSlot(message, reference, bytes, slot), 0, 0);
    }

    /** A client's operation has succeeded. */
    public void completed(int client, long correlation, long reference, long bytes) {
        host.send(client, ClientEvents.completed(message, correlation, reference, bytes));
    }

    /** A client's counted send is over, with success. */
    public void accepted(int client, long reference) {
        host.send(client, ClientEvents.accepted(message, reference));
    }

    /** A client's operation has failed. */
    public void failed(int client, long correlation, long reference, int code) {
        host.send(client, ClientEvents.failed(message, correlation, reference, code));
    }

    /** A client's wait has ended. */
    public void testReply(int client, long correlation, int pushed) {
        host.send(client, ClientEvents.testReply(message, correlation, pushed));
    }

    @Override
    public void answered(int kind, long correlation, long operationId, long value) {
        toServer(ServerEvents.answered(message, kind, correlation, operationId, value));
    }

    @Override
    public void finishReply(long correlation, int moversLeft) {
        toServer(ServerEvents.finishReply(message, correlation, moversLeft));
    }

    @Override
    public void completion(long operationId, int code, long bytes, int client, int generation) {
        toServer(ServerEvents.completion(message, operationId, code, bytes, client, generation));
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
        toServer(
                ServerEvents.unexpected(
                        message, client, generation, tag, messageClass, offset, bytes, messageId));
    }

    @Override
    public void clientAttached(int client, int generation) {
        toServer(ServerEvents.clientAttached(message, client, generation));
    }

    @Override
    public void clientGone(int client, int generation, int code) {
        toServer(ServerEvents.clientGone(message, client, generation, code));
    }

    /** A peer has broken the protocol. */
    public void fault(int session, Fault fault) {
        host.fault(session, fault);
    }

    private void toServer(Message encoded) {
        host.send(SERVER_SESSION, encoded);
    }
}
