package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;

/** Large messages close behind one another, for which a program posts one receive at a time. */
@Timeout(60)
class LargeMessagesTest {
    private static final int BYTES = 64 << 10;
    private static final int COUNT = 6;

    private TcpBench server;
    private TcpBench client;
    private PeerAddress up;
    private PeerAddress back;

    @BeforeEach
    void open() {
        server = TcpBench.server();
        client = TcpBench.client();
        up = client.lookup(server.port());
        long hello = client.context.postSendUnexpected(up, client.pattern(1, 0), 0);
        back = nextUnexpected(0);
        assertThat(finish(client, hello)).isEqualTo(1);
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    private PeerAddress nextUnexpected(int tag) {
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        TcpBench.eventually(
                () -> {
                    client.drive(1);
                    return server.bmi.testUnexpected(messages, 1) == 1;
                },
                "an unexpected message");
        assertThat(messages.tag(0)).isEqualTo(tag);
        PeerAddress peer = messages.peer(0);
        peer.retain();
        messages.free(0);
        return peer;
    }

    private static long finish(TcpBench bench, long result) {
        return PostResult.isPending(result) ? bench.await(result) : result;
    }

    @Test
    void areReadToWhereTheyBelong() {
        MemorySegment to = server.buffer(BYTES);
        long receive = server.context.postReceive(back, to, 1);
        client.context.postSend(up, client.pattern(BYTES, 1), 1);
        assertThat(finish(server, receive)).isEqualTo(BYTES);
        receive = server.context.postReceive(back, to, 2);
        for (int tag = 2; tag <= COUNT; tag++) {
            client.context.postSend(up, client.pattern(BYTES, tag), tag);
        }
        for (int tag = 2; tag <= COUNT; tag++) {
            assertThat(finish(server, receive)).isEqualTo(BYTES);
            TcpBench.expectPattern(to, BYTES, tag);
            receive = server.context.postReceive(back, to, tag + 1);
        }
        assertThat(server.counter("tcp.copies")).isZero();
    }

    @Test
    void areKeptIfTheirReceiveDoesNotCome() {
        MemorySegment to = server.buffer(BYTES);
        long receive = server.context.postReceive(back, to, 1);
        for (int tag = 1; tag <= COUNT; tag++) {
            client.context.postSend(up, client.pattern(BYTES, tag), tag);
        }
        long behind = client.context.postSendUnexpected(up, client.pattern(9, 7), 7);
        assertThat(finish(server, receive)).isEqualTo(BYTES);
        nextUnexpected(7);
        assertThat(finish(client, behind)).isEqualTo(9);
        for (int tag = COUNT; tag > 1; tag--) {
            assertThat(finish(server, server.context.postReceive(back, to, tag))).isEqualTo(BYTES);
            TcpBench.expectPattern(to, BYTES, tag);
        }
    }
}
