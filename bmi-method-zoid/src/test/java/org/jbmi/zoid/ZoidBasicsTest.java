package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

@Timeout(60)
class ZoidBasicsTest {
    private ZoidWorld world;
    private Bmi server;
    private Bmi client;
    private CompletionContext serverContext;
    private CompletionContext clientContext;
    private PeerAddress toServer;

    @BeforeEach
    void open() {
        world = ZoidWorld.started();
        server = world.server();
        client = world.client();
        serverContext = server.openContext();
        clientContext = client.openContext();
        toServer = client.lookup("zoid://");
    }

    @AfterEach
    void close() {
        world.close();
    }

    private PeerAddress meet() {
        MemorySegment hello = MemorySegment.ofArray("hello".getBytes(StandardCharsets.UTF_8));
        long sent = clientContext.postSendUnexpected(toServer, hello, 7);
        assertThat(clientContext.await(sent, 20_000)).isEqualTo(5);
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(4);
        assertThat(server.testUnexpected(messages, 20_000)).isEqualTo(1);
        assertThat(messages.tag(0)).isEqualTo(7);
        byte[] text = messages.payload(0).toArray(ValueLayout.JAVA_BYTE);
        assertThat(new String(text, StandardCharsets.UTF_8)).isEqualTo("hello");
        PeerAddress peer = messages.peer(0);
        messages.free(0);
        return peer;
    }

    @Test
    void anUnexpectedMessageArrives() {
        meet();
    }

    @Test
    void anExpectedMessageGoesEitherWayWithReceiveFirst() {
        PeerAddress toClient = meet();
        MemorySegment in = toClient.allocate(100_000);
        long receive = serverContext.postReceive(toClient, in, 1);
        assertThat(PostResult.isPending(receive)).isTrue();
        byte[] data = new byte[100_000];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) (i * 31);
        }
        long send = clientContext.postSend(toServer, MemorySegment.ofArray(data), 1);
        assertThat(send).isEqualTo(100_000);
        assertThat(serverContext.await(receive, 20_000)).isEqualTo(100_000);
        assertThat(in.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(data);
        assertThat(world.count(server, "zoid.server.copies")).isZero();

        byte[] back = new byte[200_000];
        long clientReceive = clientContext.postReceive(toServer, MemorySegment.ofArray(back), 2);
        assertThat(PostResult.isPending(clientReceive)).isTrue();
        long reply = serverContext.postSend(toClient, in, 2);
        assertThat(clientContext.await(clientReceive, 20_000)).isEqualTo(100_000);
        assertThat(serverContext.await(reply, 20_000)).isEqualTo(100_000);
        assertThat(back).startsWith(data);
        server.free(in);
    }

    @Test
    void aForeignBufferOfTheServerCostsOneCopy() {
        PeerAddress toClient = meet();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment foreign = arena.allocate(50_000, 16);
            long receive = serverContext.postReceive(toClient, foreign, 1);
            MemorySegment data = arena.allocate(50_000, 16).fill((byte) 9);
            assertThat(clientContext.await(clientContext.postSend(toServer, data, 1), 20_000))
                    .isEqualTo(50_000);
            assertThat(serverContext.await(receive, 20_000)).isEqualTo(50_000);
            assertThat(foreign.mismatch(data)).isEqualTo(-1);
            assertThat(world.count(server, "zoid.server.copies")).isEqualTo(1);
        }
    }

    @Test
    void aSmallMessageWaitsInSharedMemory() {
        PeerAddress toClient = meet();
        MemorySegment small = MemorySegment.ofArray(new byte[] {1, 2, 3});
        long send = clientContext.postSend(toServer, small, 4);
        assertThat(PostResult.isPending(send)).isTrue();
        MemorySegment in = toClient.allocate(10);
        assertThat(serverContext.await(serverContext.postReceive(toClient, in, 4), 20_000))
                .isEqualTo(3);
        assertThat(in.asSlice(0, 3).toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 2, 3);
        assertThat(clientContext.await(send, 20_000)).isEqualTo(3);
        server.free(in);
    }
}
