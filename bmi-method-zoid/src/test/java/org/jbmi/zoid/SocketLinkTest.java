package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CancelOutcome;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PostResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/** Clients through the gateway: cut off at any byte, left alone by a daemon, and back again. */
@Timeout(120)
class SocketLinkTest {
    private static final int BYTES = 400_000;
    private static final int HOST_DOWN = ErrorCode.EHOSTDOWN.negativeValue();

    private final ZoidWorld world = new ZoidWorld().daemonKnob("zbmi.gatewayPort", "0");

    @AfterEach
    void close() {
        world.close();
    }

    private String gateway() {
        return world.daemon().gatewayAddresses().getFirst();
    }

    private Bmi client(String address) {
        return world.keep(
                world.builder()
                        .knob("zoid.clientLink", "socket")
                        .knob("zoid.serverAddress", address)
                        .open());
    }

    private CuttingProxy proxy(long towardGateway, long towardClient) throws Exception {
        String address = gateway();
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        return world.keep(
                new CuttingProxy(
                        new InetSocketAddress("127.0.0.1", port), towardGateway, towardClient));
    }

    private static int errorOf(CompletionContext context, long posted) {
        if (!PostResult.isPending(posted)) {
            return posted < 0 ? (int) posted : 0;
        }
        Completions done = Completions.ofCapacity(1);
        assertThat(context.test(posted, done, 20_000)).isEqualTo(1);
        return done.outcome(0).negativeValue();
    }

    @Test
    void onlyClientsThatShareTheMemoryAreOfTheServersUser() {
        world.startDaemon();
        Bmi server = world.server();
        CompletionContext context = server.openContext();
        Bmi near = world.keep(world.builder().open());
        assertThat(Pair.of(server, context, near).toClient().isOwnUser()).isTrue();
        assertThat(Pair.of(server, context, client(gateway())).toClient().isOwnUser()).isFalse();
    }

    /** The news of the cancel may be on its way when the server posts a message that is longer. */
    @Test
    void aMessageIsNotLostBehindACancelledReceiveThatIsTooSmall() {
        world.startDaemon();
        Bmi server = world.server();
        Pair pair = Pair.of(server, server.openContext(), client(gateway()));
        CompletionContext client = pair.clientContext();
        for (int i = 0; i < 100; i++) {
            long small = client.postReceive(pair.toServer(), segment(10), 7);
            assertThat(client.cancel(small)).isEqualTo(CancelOutcome.CANCELLED);
            assertThat(errorOf(client, small)).isEqualTo(ErrorCode.ECANCEL.negativeValue());
            long sent = pair.serverContext().postSend(pair.toClient(), segment(100), 7);
            MemorySegment room = segment(100);
            long receive = client.postReceive(pair.toServer(), room, 7);
            assertThat(client.await(receive, 10_000)).as("round %d", i).isEqualTo(100);
            if (PostResult.isPending(sent)) {
                assertThat(pair.serverContext().await(sent, 10_000)).isEqualTo(100);
            }
        }
    }

    @Test
    void aMessageThatIsTooLongForTheReceiveThatWasThereFirstIsDropped() {
        world.startDaemon();
        Bmi server = world.server();
        Pair pair = Pair.of(server, server.openContext(), client(gateway()));
        CompletionContext client = pair.clientContext();
        for (int i = 0; i < 10; i++) {
            MemorySegment room = segment(10);
            long small = client.postReceive(pair.toServer(), room, 7);
            long sent =
                    pair.serverContext()
                            .postSend(pair.toClient(), segment(BYTES).fill((byte) 9), 7);
            assertThat(errorOf(client, small)).isEqualTo(ErrorCode.EMSGSIZE.negativeValue());
            assertThat(errorOf(pair.serverContext(), sent)).isZero();
            assertThat(room.mismatch(segment(10))).as("untouched").isEqualTo(-1);
        }
        pair.exchange(7, 1000);
    }

    // In the greeting, in messages, in the middle of payload each way, at its very end.
    @ParameterizedTest
    @CsvSource({
        "500, -1", "1000, -1", "30000, -1", "262500, -1", "400300, -1",
        "-1, 400", "-1, 1000", "-1, 30000", "-1, 262500", "-1, 400200",
    })
    void aLinkThatIsCutEndsEachOperationOnce(long towardGateway, long towardClient)
            throws Exception {
        world.startDaemon();
        Bmi server = world.server();
        CompletionContext serverContext = server.openContext();
        Pair innocent = Pair.of(server, serverContext, client(gateway()));
        long unlimited = Long.MAX_VALUE;
        CuttingProxy proxy =
                proxy(
                        towardGateway < 0 ? unlimited : towardGateway,
                        towardClient < 0 ? unlimited : towardClient);
        Pair pair = Pair.of(server, serverContext, client(proxy.address()));
        MemorySegment in = pair.toClient().allocate(BYTES);
        MemorySegment out = pair.toClient().allocate(BYTES);
        long serverReceive = serverContext.postReceive(pair.toClient(), in, 3);
        long serverSend = serverContext.postSend(pair.toClient(), out, 4);
        CompletionContext context = pair.clientContext();
        long never = context.postReceive(pair.toServer(), segment(100), 5);
        long receive = context.postReceive(pair.toServer(), segment(BYTES), 4);
        boolean receiveIsOld = isStillTheFirst(pair.client());
        long send = context.postSend(pair.toServer(), segment(BYTES), 3);
        boolean sendIsOld = isStillTheFirst(pair.client());
        assertEnds(context, receive, receiveIsOld);
        assertEnds(context, send, sendIsOld);
        ZoidWorld.await("the link is cut", 20_000, proxy::wasCut);
        assertThat(errorOf(context, never)).isEqualTo(HOST_DOWN);
        assertEnds(serverContext, serverReceive, true);
        assertEnds(serverContext, serverSend, true);
        innocent.exchange(7, 100_000);
        Pair again = Pair.of(server, serverContext, pair.client());
        again.exchange(8, 100_000);
    }

    // What is posted after the cut goes over a new link, and may wait there for ever.
    private boolean isStillTheFirst(Bmi client) {
        return world.count(client, "zoid.client.attachments") == 1;
    }

    private static void assertEnds(CompletionContext context, long posted, boolean isOfFirstLink) {
        if (!isOfFirstLink) {
            context.cancel(posted);
            errorOf(context, posted);
            return;
        }
        assertThat(errorOf(context, posted)).isIn(0, HOST_DOWN);
    }

    private static MemorySegment segment(int bytes) {
        return MemorySegment.ofArray(new byte[bytes]);
    }

    @Test
    void aDaemonThatEndsEndsItsRemoteClientsWhoFindTheNextOne() {
        world.daemonKnob("zbmi.gatewaySocket", world.directory().resolve("gw.sock").toString());
        world.startDaemon();
        String address = world.directory().resolve("gw.sock").toString();
        Bmi server = world.server();
        Pair pair = Pair.of(server, server.openContext(), client(address));
        pair.exchange(1, 50_000);
        long pending = pair.clientContext().postReceive(pair.toServer(), segment(100), 5);
        world.stopDaemon();
        assertThat(errorOf(pair.clientContext(), pending)).isEqualTo(HOST_DOWN);
        world.startDaemon();
        Bmi next = world.server();
        Pair.of(next, next.openContext(), pair.client()).exchange(2, 50_000);
    }

    @Test
    void aClientThatStallsInATransferIsCutOffAndTheServerGoesOn() {
        world.daemonKnob("zbmi.gatewayStallMs", "300").startDaemon();
        Bmi server = world.server();
        CompletionContext serverContext = server.openContext();
        Pair pair = Pair.of(server, serverContext, client(gateway()));
        int large = 8 << 20;
        MemorySegment out = pair.toClient().allocate(large);
        long sent = serverContext.postSend(pair.toClient(), out, 1);
        CompletionContext context = pair.clientContext();
        long receive = context.postReceive(pair.toServer(), segment(large), 1);
        context.test(receive, Completions.ofCapacity(1), 1);
        // From here on the client is in none of its calls.
        int outcome = errorOf(serverContext, sent);
        assertThat(outcome).isIn(0, HOST_DOWN);
        Pair innocent = Pair.of(server, serverContext, client(gateway()));
        innocent.exchange(7, 100_000);
        if (outcome == HOST_DOWN) {
            // All its bytes may have been in the socket when it was cut off.
            assertThat(errorOf(context, receive)).isIn(0, HOST_DOWN);
            ZoidWorld.await(
                    "it is counted", 10_000, () -> world.daemonCount("zbmi.gateway.evicted") == 1);
        }
        server.free(out);
    }

    @Test
    void aLinkWithoutAnAddressIsRefusedInWords() {
        Bmi bmi = world.keep(world.builder().knob("zoid.clientLink", "socket").open());
        assertThatThrownBy(() -> bmi.lookup("zoid://"))
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("zoid.serverAddress");
    }

    @Test
    void aGatewayThatIsNotThereIsNamed() {
        Bmi bmi =
                world.keep(
                        world.builder()
                                .knob("zoid.clientLink", "socket")
                                .knob("zoid.attachTimeoutMs", "50")
                                .knob(
                                        "zoid.serverAddress",
                                        world.directory().resolve("none.sock").toString())
                                .open());
        assertThatThrownBy(() -> bmi.lookup("zoid://"))
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("none.sock")
                .extracting("code")
                .isEqualTo(ErrorCode.ENETDOWN);
    }
}
