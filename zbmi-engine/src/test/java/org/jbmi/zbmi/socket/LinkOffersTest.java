package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.SystemNanoClock;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionLimits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;

/**
 * What becomes of an offer that crosses a client's claim, before the thread that claimed has said
 * where the bytes are. The gateway is a script.
 */
@Timeout(30)
class LinkOffersTest {
    private static final long REFERENCE = 1L << Integer.SIZE | 3;
    private static final long FIRST_PARTNER = 11;
    private static final long SECOND_PARTNER = 12;
    private static final int FORMER_BYTES = 100;
    private static final int CLAIM = 1;
    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    private final Random random = new Random(1);
    private final StreamPipe toGateway = new StreamPipe(random, 1 << 16);
    private final StreamPipe toClient = new StreamPipe(random, 1 << 16);
    private final FrameWriter gateway = new FrameWriter();
    private final Message message = new Message();
    private final Message grant = new Message();
    private final RemoteOperation receive =
            new RemoteOperation(
                    OperationKind.RECEIVE, REFERENCE, 1, 0, List.of(new byte[FORMER_BYTES]));
    private SocketClientLink link;

    @BeforeEach
    void claimTheFirstOffer() throws IOException {
        link =
                new SocketClientLink(
                        new StreamTransport(toClient, toGateway),
                        new LinkWelcome(1, 4, new SessionLimits(1 << 20, 8192, 1024, 64, 10)),
                        new Claiming(),
                        SystemNanoClock.INSTANCE,
                        LinkWorld.PATIENT);
        offer(FIRST_PARTNER, FORMER_BYTES);
        hear();
        assertThat(grant.kind()).as("offered, and claimed").isEqualTo(ClientEvents.GRANT);
    }

    @AfterEach
    void close() {
        link.close();
    }

    private void offer(long partner, int bytes) {
        ClientEvents.grant(message, 0, REFERENCE, partner, partner, bytes);
        gateway.message(ClientEvents.grantPlace(message, 0, 0, 0, 0, 0), NOTHING, 0, 0);
    }

    /** What the gateway has said arrives. */
    private void hear() throws IOException {
        while (gateway.hasPending() || toClient.size() > 0) {
            gateway.write(toClient);
            link.progress();
        }
        assertThat(link.brokenReason()).isNull();
    }

    @Test
    void anEmptyMessageInPlaceOfTheOfferIsOverWithItsOwnSize() throws IOException {
        offer(SECOND_PARTNER, 0);
        gateway.note(LinkFrame.MOVED, REFERENCE, CLAIM, 0);
        hear();
        assertThat(link.startMove(receive, grant)).as("over, with success").isZero();
        assertThat(ClientEvents.grantBytes(grant)).as("bytes of the empty message").isZero();
        assertThat(ClientEvents.operationId(grant)).isEqualTo(SECOND_PARTNER);
        assertThat(ClientEvents.reference(grant)).isEqualTo(REFERENCE);
    }

    @Test
    void anOfferThatIsTakenBackLeavesWhatWasOfferedLast() throws IOException {
        offer(SECOND_PARTNER, 40);
        gateway.note(LinkFrame.VOID, REFERENCE, CLAIM, 0);
        hear();
        assertThat(link.startMove(receive, grant)).isEqualTo(ClientLink.VOIDED);
        assertThat(ClientEvents.operationId(grant)).isEqualTo(SECOND_PARTNER);
    }

    @Test
    void whatFailedInPlaceOfTheOfferIsOverWithItsCode() throws IOException {
        int code = ErrorCode.EHOSTDOWN.negativeValue();
        gateway.message(ClientEvents.failed(message, 0, REFERENCE, code), NOTHING, 0, 0);
        hear();
        assertThat(link.startMove(receive, grant)).isEqualTo(code);
    }

    /** Claims the first offer; the others never come as events. */
    private final class Claiming implements PeerEvents {
        @Override
        public void onEvent(Message news) {
            assertThat(link.claim(news)).isTrue();
            grant.copyFrom(news);
        }

        @Override
        public void onBroken(String reason) {
            throw new AssertionError(reason);
        }
    }
}
