package org.jbmi.zbmi.link;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.concurrent.TimeUnit.SECONDS;

import org.jbmi.mempool.os.Errno;
import org.jbmi.mempool.os.MessageQueues;
import org.jbmi.zbmi.host.mq.MqCommandChannelProvider;
import org.jbmi.zbmi.host.mq.MqSystem;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;

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
            return name.contains("-r") ? -Errno.EMFILE : MqSystem.super.open(name, end);
        }
    }
}
