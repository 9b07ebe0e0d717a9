package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;

/**
 * What becomes of an offer that crosses a client's claim, before the thread that claimed has said
 * where the bytes are. The gateway is a script.
 */
@Timeout(30)
class LinkOffersTest {
    private static final long FIRST_PARTNER = 11;
    private static final long SECOND_PARTNER = 12;
    private static final int FORMER_BYTES = 100;

    private final ScriptedGateway gateway = new ScriptedGateway();
    private final RemoteOperation receive =
            ScriptedGateway.operation(OperationKind.RECEIVE, FORMER_BYTES);

    @BeforeEach
    void claimTheFirstOffer() throws IOException {
        gateway.offer(FIRST_PARTNER, FORMER_BYTES);
        gateway.isHeard();
        assertThat(gateway.grant.kind()).as("offered, and claimed").isEqualTo(ClientEvents.GRANT);
    }

    @AfterEach
    void close() {
        assertThat(gateway.events).as("none but the first offer").isOne();
        gateway.link.close();
    }

    private int move() {
        return gateway.link.startMove(receive, gateway.grant);
    }

    @Test
    void anEmptyMessageInPlaceOfTheOfferIsOverWithItsOwnSize() throws IOException {
        gateway.offer(SECOND_PARTNER, 0);
        gateway.ofClaim(LinkFrame.MOVED);
        gateway.isHeard();
        assertThat(move()).as("over, with success").isZero();
        assertThat(ClientEvents.grantBytes(gateway.grant))
                .as("bytes of the empty message")
                .isZero();
        assertThat(ClientEvents.operationId(gateway.grant)).isEqualTo(SECOND_PARTNER);
        assertThat(ClientEvents.reference(gateway.grant)).isEqualTo(ScriptedGateway.REFERENCE);
    }

    @Test
    void anOfferThatIsTakenBackLeavesWhatWasOfferedLast() throws IOException {
        gateway.offer(SECOND_PARTNER, 40);
        gateway.ofClaim(LinkFrame.VOID);
        gateway.isHeard();
        assertThat(move()).isEqualTo(ClientLink.VOIDED);
        assertThat(ClientEvents.operationId(gateway.grant)).isEqualTo(SECOND_PARTNER);
    }

    @Test
    void whatFailedInPlaceOfTheOfferIsOverWithItsCode() throws IOException {
        int code = ErrorCode.EHOSTDOWN.negativeValue();
        gateway.failed(code);
        gateway.isHeard();
        assertThat(move()).isEqualTo(code);
    }
}
