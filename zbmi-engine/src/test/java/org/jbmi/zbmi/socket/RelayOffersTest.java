package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** What the engine has offered to a remote client, and the client wants, is claimed in the end. */
@Timeout(60)
class RelayOffersTest {
    private static final int TOO_LONG_TO_BE_EAGER = 5000;

    @TempDir private Path directory;

    @Test
    void anOfferThatIsClaimedBeforeAnOlderOneIsMadeAgain() throws IOException {
        Random random = new Random(1);
        RemoteClientSim client = new RemoteClientSim(random);
        try (LinkWorld world = new LinkWorld(directory, random, new Exchanged(client))) {
            client.use(world.link);
            DirectServerSim server = new DirectServerSim(world, random);
            for (int number = 1; number <= 2; number++) {
                List<byte[]> buffers = List.of(new byte[TOO_LONG_TO_BE_EAGER]);
                assertThat(client.post(OperationKind.SEND_UNEXPECTED, number, 0, buffers))
                        .isNotNull();
            }
            client.beIn();
            world.settle(
                    () -> {
                        client.runDeferred();
                        server.takeEvents();
                    });
            assertThat(client.voids).as("claims that came too early").isEqualTo(1);
            assertThat(server.unexpected).as("while the client waits").containsExactly(1, 2);
        }
    }

    /**
     * Hands the first two offers over in the other order. So do claims arrive when the first of
     * some crosses the end of the client's wait, and the others its next beginning.
     */
    private static final class Exchanged implements PeerEvents {
        private final PeerEvents client;
        private final Message first = new Message();
        private int offers;

        Exchanged(PeerEvents client) {
            this.client = client;
        }

        @Override
        public void onEvent(Message news) {
            if (news.kind() == ClientEvents.GRANT && ++offers <= 2) {
                if (offers == 1) {
                    first.copyFrom(news);
                    return;
                }
                client.onEvent(news);
                client.onEvent(first);
                return;
            }
            client.onEvent(news);
        }

        @Override
        public void onBroken(String reason) {
            client.onBroken(reason);
        }
    }
}
