package org.jbmi.zbmi.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.os.Errno;
import org.jbmi.mempool.os.MessageQueues;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.junit.jupiter.api.Test;

/** The same calls, notes, sleeps and failures with a server that is reached by message queues. */
class PosixMqChannelsTest extends ChannelsTest {
    @Override
    String channelName() {
        return "posix-mq";
    }

    @Test
    void namesAreGoneAsSoonAsBothSidesHaveOpened() {
        callManyTimes(1, 10);
        Welcome welcome = ((LaneChannel) server).welcome();
        String prefix =
                "/zbmi-%d-%s-"
                        .formatted(
                                welcome.daemonPid(), Long.toHexString(welcome.segmentGeneration()));
        for (String name : new String[] {"c", "e", "r0", "r1"}) {
            assertThat(MessageQueues.open(prefix + name, MessageQueues.End.SEND))
                    .as(name)
                    .isEqualTo(-Errno.ENOENT);
        }
    }

    @Test
    void aServerThatReadsNothingForAWhileGetsEverythingInTheEnd() {
        for (int i = 0; i < 50; i++) {
            daemon.inEngine(
                    () -> {
                        for (int k = 0; k < 20; k++) {
                            daemon.send(
                                    0,
                                    ServerEvents.completion(new Message(), 1L << 40, 0, k, 1, 1));
                        }
                    });
        }
        callManyTimes(2, 100);
        for (int i = 0; i < 1000; i++) {
            Message next = serverEvents.await(server, ServerEvents.COMPLETION);
            assertThat(ServerEvents.completionBytes(next)).isEqualTo(i % 20);
        }
    }

    @Test
    void whatIsNoCommandEndsTheSession() {
        Message m = new Message();
        server.note(m.start(77).put(1), LONG_NS);
        long deadline = System.nanoTime() + LONG_NS;
        while (server.brokenReason() == null && System.nanoTime() < deadline) {
            ServerRequests.cancel(m, 0, 1, 1);
            server.call(m, m, 100_000_000);
        }
        assertThat(server.brokenReason()).isEqualTo("The daemon has ended the session.");
        assertThat(daemon.faults()).containsExactly("0 MALFORMED");
    }
}
