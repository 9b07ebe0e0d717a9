package org.jbmi.zbmi.link;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.concurrent.TimeUnit.SECONDS;

import org.jbmi.mempool.os.Errno;
import org.jbmi.mempool.os.MessageQueues;
import org.jbmi.mempool.os.QueueBuffer;
import org.jbmi.zbmi.host.mq.MqCommandChannelProvider;
import org.jbmi.zbmi.host.mq.MqSystem;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.Optional;

/** A daemon that cannot open the reply queues of its server: it has no descriptor left. */
@Timeout(60)
class UnopenedReplyQueuesTest extends ChannelsFixture {
    private static final long PATIENCE_NS = SECONDS.toNanos(10);

    @Override
    String channelName() {
        return MqCommandChannelProvider.NAME;
    }

    @Override
    MiniDaemon newDaemon() throws IOException {
        return new MiniDaemon(16, new MqCommandChannelProvider(new FewDescriptors(), 8, 8));
    }

    @Test
    void anAnswerReachesItsCallerAllTheSame() {
        for (int i = 0; i < 5; i++) {
            Message message = ServerRequests.cancel(new Message(), 0, i, 1);
            assertThat(server.call(message, message, PATIENCE_NS)).isEqualTo(PeerChannel.OK);
            assertThat(message.kind()).isEqualTo(ServerEvents.CANCEL_REPLY);
        }
        assertThat(serverEvents.queue).noneMatch(next -> next.kind() == ServerEvents.CANCEL_REPLY);
    }

    private static final class FewDescriptors implements MqSystem {
        @Override
        public int open(String name, MessageQueues.End end) {
            return name.contains("-r") ? -Errno.EMFILE : KERNEL.open(name, end);
        }

        @Override
        public Optional<String> unavailabilityReason() {
            return KERNEL.unavailabilityReason();
        }

        @Override
        public int create(String name, MessageQueues.End end, int depth, int messageBytes) {
            return KERNEL.create(name, end, depth, messageBytes);
        }

        @Override
        public int unlink(String name) {
            return KERNEL.unlink(name);
        }

        @Override
        public void close(int descriptor) {
            KERNEL.close(descriptor);
        }

        @Override
        public int send(int descriptor, QueueBuffer buffer, int words) {
            return KERNEL.send(descriptor, buffer, words);
        }

        @Override
        public int receive(int descriptor, QueueBuffer buffer, long timeoutNs) {
            return KERNEL.receive(descriptor, buffer, timeoutNs);
        }

        @Override
        public long queued(int descriptor, QueueBuffer buffer) {
            return KERNEL.queued(descriptor, buffer);
        }

        @Override
        public long depth(int descriptor, QueueBuffer buffer) {
            return KERNEL.depth(descriptor, buffer);
        }
    }
}
