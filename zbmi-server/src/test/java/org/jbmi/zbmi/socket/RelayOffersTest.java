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
    private static final int TAG = 5;
    private static final int TURNS = 100;

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
     * The engine offers the client's receive a second message while the claim of the first one, of
     * which the server thought better, is on its way.
     */
    @Test
    void aClaimTakesTheMessageThatItNamesAndNoOther() throws IOException {
        Random random = new Random(2);
        RemoteClientSim client = new RemoteClientSim(random);
        Counted offers = new Counted(client, 1);
        try (LinkWorld world = new LinkWorld(directory, random, offers)) {
            client.use(world.link);
            DirectServerSim server = new DirectServerSim(world, random);
            claimTheFirst(world, client, server);
            server.cancelAll();
            assertThat(server.all.getFirst().isOver).as("the first, before its claim").isTrue();
            server.post(true, 2, TAG);
            settle(world, client, server);
            assertThat(offers.count).as("the second was offered, and left").isEqualTo(2);
            assertThat(server.all.getLast().isOver).as("taken for the first").isFalse();
        }
    }

    /** The client ends its wait and begins another one while the first offer is on its way. */
    @Test
    void aClaimHoldsForAnOfferThatIsMadeAgainOfTheSameMessage() throws IOException {
        Random random = new Random(3);
        RemoteClientSim client = new RemoteClientSim(random);
        Counted offers = new Counted(client, Integer.MAX_VALUE);
        try (LinkWorld world = new LinkWorld(directory, random, offers)) {
            client.use(world.link);
            DirectServerSim server = new DirectServerSim(world, random);
            RemoteOperation receive = post(world, client, server);
            client.waitOrLeave();
            client.beIn();
            for (int i = 0; i < TURNS; i++) {
                world.pumpRelay();
                world.pumpEngine(10);
            }
            assertThat(offers.count).as("all are on their way").isZero();
            settle(world, client, server);
            assertThat(receive.state).isEqualTo(RemoteOperation.State.OVER);
            assertThat(receive.outcome).isZero();
            assertThat(offers.count).as("the others cross the claim").isOne();
            assertThat(client.voids).isZero();
        }
    }

    private static void settle(LinkWorld world, RemoteClientSim client, DirectServerSim server)
            throws IOException {
        world.settle(
                () -> {
                    client.runDeferred();
                    server.takeEvents();
                });
    }

    // A receive of the client that is offered the server's message; the client has not heard yet.
    private static RemoteOperation post(
            LinkWorld world, RemoteClientSim client, DirectServerSim server) throws IOException {
        client.beIn();
        List<byte[]> room = List.of(new byte[DirectServerSim.BLOCK]);
        RemoteOperation receive = client.post(OperationKind.RECEIVE, 1, TAG, room);
        while (server.all.isEmpty() || server.all.getFirst().zoidId == 0) {
            world.pumpLink();
            world.pumpRelay();
            world.pumpEngine(10);
            if (server.all.isEmpty() && receive.state == RemoteOperation.State.PENDING) {
                server.post(true, 1, TAG);
            }
            server.takeEvents();
        }
        for (int i = 0; i < TURNS; i++) {
            world.pumpRelay();
        }
        return receive;
    }

    // The claim is on its way, and the gateway has not heard of it.
    private static void claimTheFirst(
            LinkWorld world, RemoteClientSim client, DirectServerSim server) throws IOException {
        RemoteOperation receive = post(world, client, server);
        while (receive.state != RemoteOperation.State.MOVING) {
            world.pumpLink();
        }
        client.runDeferred();
        for (int i = 0; i < TURNS; i++) {
            world.pumpLink();
        }
    }

    /** Counts offers, and hands on so many of them. */
    private static final class Counted implements PeerEvents {
        private final PeerEvents client;
        private final int most;
        private int count;

        Counted(PeerEvents client, int most) {
            this.client = client;
            this.most = most;
        }

        @Override
        public void onEvent(Message event) {
            if (event.kind() != ClientEvents.GRANT || ++count <= most) {
                client.onEvent(event);
            }
        }

        @Override
        public void onBroken(String reason) {
            client.onBroken(reason);
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
        public void onEvent(Message event) {
            if (event.kind() == ClientEvents.GRANT && ++offers <= 2) {
                if (offers == 1) {
                    first.copyFrom(event);
                    return;
                }
                client.onEvent(event);
                client.onEvent(first);
                return;
            }
            client.onEvent(event);
        }

        @Override
        public void onBroken(String reason) {
            client.onBroken(reason);
        }
    }
}
