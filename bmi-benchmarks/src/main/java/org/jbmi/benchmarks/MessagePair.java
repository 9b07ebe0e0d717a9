package org.jbmi.benchmarks;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A connected server and client, driven by one thread. */
final class MessagePair implements AutoCloseable {
    private static final int TAG = 7;
    private static final long WAIT_MS = 10_000;

    private final Bmi server;
    private final Bmi client;
    private final CompletionContext serverContext;
    private final CompletionContext clientContext;
    private final PeerAddress toServer;
    private final PeerAddress toClient;
    private final MemorySegment clientBuffer;
    private final MemorySegment serverBuffer;
    private final Completions done = Completions.ofCapacity(4);
    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(4);

    /**
     * Connects both sides.
     *
     * @param server listens
     * @param client looks the server up
     * @param address of the server
     * @param bytes size of the messages
     */
    MessagePair(Bmi server, Bmi client, String address, int bytes) {
        this.server = server;
        this.client = client;
        serverContext = server.openContext();
        clientContext = client.openContext();
        toServer = client.lookup(address);
        clientBuffer = Arena.ofAuto().allocate(bytes, 64);
        long hello = clientContext.postSendUnexpected(toServer, clientBuffer.asSlice(0, 1), TAG);
        if (server.testUnexpected(messages, WAIT_MS) != 1) {
            throw new IllegalStateException("The server did not hear of its client.");
        }
        toClient = messages.peer(0);
        messages.free(0);
        clientContext.await(hello, WAIT_MS);
        @Nullable MemorySegment pooled = toClient.allocate(bytes);
        if (pooled == null) {
            throw new IllegalStateException("The server has no memory for " + bytes + " bytes.");
        }
        serverBuffer = pooled;
    }

    /** The server posts its receive first. */
    long receiveFirst() {
        long receive = serverContext.postReceive(toClient, serverBuffer, TAG);
        long send = clientContext.postSend(toServer, clientBuffer, TAG);
        return finish(serverContext, receive) + finish(clientContext, send);
    }

    /** The server posts its send first. */
    long sendFirst() {
        long send = serverContext.postSend(toClient, serverBuffer, TAG);
        long receive = clientContext.postReceive(toServer, clientBuffer, TAG);
        return finish(clientContext, receive) + finish(serverContext, send);
    }

    /** An unexpected request with an expected reply, like the smallest call of a forwarder. */
    long requestAndReply() {
        long request = clientContext.postSendUnexpected(toServer, clientBuffer, TAG);
        if (server.testUnexpected(messages, WAIT_MS) != 1) {
            throw new IllegalStateException("A request was lost.");
        }
        long reply = serverContext.postSend(messages.peer(0), serverBuffer, messages.tag(0));
        messages.free(0);
        long received = clientContext.postReceive(toServer, clientBuffer, TAG);
        return finish(clientContext, received)
                + finish(clientContext, request)
                + finish(serverContext, reply);
    }

    /** Two commands of the server that move no bytes. */
    int postAndCancel() {
        long receive = serverContext.postReceive(toClient, serverBuffer, TAG);
        serverContext.cancel(receive);
        return serverContext.test(receive, done, WAIT_MS);
    }

    // Like await, but without the room that await makes for its result in each call that waits.
    private long finish(CompletionContext context, long result) {
        if (PostResult.isPending(result)) {
            if (context.test(result, done, WAIT_MS) != 1 || !done.outcome(0).isSuccess()) {
                throw new IllegalStateException("A message failed.");
            }
            return done.sizeBytes(0);
        }
        return context.await(result, WAIT_MS);
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
