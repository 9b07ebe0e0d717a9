package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;

import java.lang.foreign.MemorySegment;

/** A server and a client that have met. */
record Pair(
        Bmi server,
        CompletionContext serverContext,
        PeerAddress toClient,
        Bmi client,
        CompletionContext clientContext,
        PeerAddress toServer) {

    static Pair of(Bmi server, CompletionContext serverContext, Bmi client) {
        CompletionContext clientContext = client.openContext();
        PeerAddress toServer = client.lookup("zoid://");
        MemorySegment hello = MemorySegment.ofArray(new byte[8]);
        long sent = clientContext.postSendUnexpected(toServer, hello, 1);
        assertThat(clientContext.await(sent, 10_000)).isEqualTo(8);
        return new Pair(server, serverContext, meet(server), client, clientContext, toServer);
    }

    /** Whether a message was posted and went out. */
    static boolean isSent(CompletionContext context, long posted) {
        try {
            return context.await(posted, 10_000) >= 0;
        } catch (BmiException e) {
            return false;
        }
    }

    /** Takes one unexpected message; returns its sender. */
    static PeerAddress meet(Bmi server) {
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        assertThat(server.testUnexpected(messages, 10_000)).isEqualTo(1);
        PeerAddress peer = messages.peer(0);
        peer.retain(); // one that nobody refers to is forgotten when it goes
        messages.free(0);
        return peer;
    }

    static Pair in(ZoidWorld world) {
        Bmi server = world.server();
        return of(server, server.openContext(), world.client());
    }

    /** Sends a message from client to server and back. */
    void exchange(int tag, int bytes) {
        MemorySegment out = MemorySegment.ofArray(new byte[bytes]).fill((byte) tag);
        MemorySegment middle = toClient.allocate(bytes);
        assertThat(middle).isNotNull();
        long receive = serverContext.postReceive(toClient, middle, tag);
        long send = clientContext.postSend(toServer, out, tag);
        assertThat(clientContext.await(send, 10_000)).isEqualTo(bytes);
        assertThat(serverContext.await(receive, 10_000)).isEqualTo(bytes);
        MemorySegment back = MemorySegment.ofArray(new byte[bytes]);
        long answer = serverContext.postSend(toClient, middle, tag);
        long received = clientContext.postReceive(toServer, back, tag);
        assertThat(clientContext.await(received, 10_000)).isEqualTo(bytes);
        assertThat(serverContext.await(answer, 10_000)).isEqualTo(bytes);
        assertThat(back.mismatch(out)).isEqualTo(-1);
        server.free(middle);
    }
}
