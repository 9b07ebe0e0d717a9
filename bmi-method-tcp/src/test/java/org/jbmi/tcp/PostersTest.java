package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Threads that post, of a program in which nobody tests. */
@Timeout(90)
class PostersTest {
    private static final int THREADS = 6;
    private static final int POSTS = 200;
    private static final int ROUNDS = 60;

    /** The socket takes a whole round: what it does not take leaves when somebody tests. */
    private static final String ROOM_BYTES = String.valueOf(512 << 10);

    @Test
    void whatTheyPostLeavesAllTheSame() throws Exception {
        try (TcpBench server = TcpBench.server();
                TcpBench client = TcpBench.client("tcp.sendBufferBytes", ROOM_BYTES)) {
            PeerAddress up = client.lookup(server.port());
            MemorySegment message = client.buffer(64);
            long hello = client.context.postSendUnexpected(up, message, 0);
            assertThat(client.await(hello)).isEqualTo(64);
            server.meet();
            UnexpectedMessages messages = UnexpectedMessages.ofCapacity(64);
            for (int round = 0; round < ROUNDS; round++) {
                List<Thread> posters = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    Thread poster = new Thread(() -> post(client, up, message), "poster");
                    posters.add(poster);
                    poster.start();
                }
                int[] got = new int[1];
                TcpBench.eventually(
                        () -> {
                            int count = server.bmi.testUnexpected(0, messages, 5);
                            for (int i = 0; i < count; i++) {
                                messages.free(i);
                            }
                            got[0] += count;
                            return got[0] == THREADS * POSTS;
                        },
                        "all that was posted arrives");
                for (Thread poster : posters) {
                    poster.join();
                }
            }
        }
    }

    private static void post(TcpBench client, PeerAddress up, MemorySegment message) {
        for (int i = 0; i < POSTS; i++) {
            long result = client.context.postSendUnexpected(up, message, i);
            if (result < 0) {
                throw new AssertionError("refused with " + result);
            }
        }
    }
}
