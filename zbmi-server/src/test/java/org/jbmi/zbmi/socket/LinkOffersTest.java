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
 * where the bytes are, and after. The gateway is a script.
 */
@Timeout(30)
class LinkOffersTest {
    private static final long FIRST_PARTNER = 11;
    private static final long SECOND_PARTNER = 12;
    private static final int FORMER_BYTES = 100;
    private static final int LATER_BYTES = 40;

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
        gateway.link.close();
    }

    private int move() {
        return gateway.link.startMove(receive, gateway.grant);
    }

    private void expectTheSecondOffer() {
        assertThat(gateway.events).as("both offers").isEqualTo(2);
        assertThat(gateway.last.kind()).isEqualTo(ClientEvents.GRANT);
        assertThat(ClientEvents.partner(gateway.last)).isEqualTo(SECOND_PARTNER);
        assertThat(ClientEvents.grantBytes(gateway.last)).isEqualTo(LATER_BYTES);
        assertThat(ClientEvents.reference(gateway.last)).isEqualTo(ScriptedGateway.REFERENCE);
    }

    @Test
    void anotherMessageIsOfferedWhenTheClaimOfTheFirstIsVoid() throws IOException {
        gateway.offer(SECOND_PARTNER, LATER_BYTES);
        gateway.ofClaim(1, LinkFrame.VOID);
        gateway.isHeard();
        assertThat(gateway.events).as("before its thread has let go of the first").isOne();
        assertThat(move()).isEqualTo(ClientLink.MOVING);
        expectTheSecondOffer();
        assertThat(gateway.claimed()).containsExactly(FIRST_PARTNER, SECOND_PARTNER);
    }

    /** The time of a receive may be over by then: its program must not get what it did not take. */
    @Test
    void anotherMessageIsNotClaimedForAProgramThatLeavesIt() throws IOException {
        gateway.takesOffers = false;
        gateway.ofClaim(1, LinkFrame.VOID);
        gateway.offer(SECOND_PARTNER, LATER_BYTES);
        gateway.isHeard();
        assertThat(move()).isEqualTo(ClientLink.MOVING);
        expectTheSecondOffer();
        assertThat(gateway.claimed()).containsExactly(FIRST_PARTNER);
    }

    @Test
    void anotherMessageIsOfferedWhileTheLinkHasTheFirstInHand() throws IOException {
        assertThat(move()).isEqualTo(ClientLink.MOVING);
        gateway.offer(SECOND_PARTNER, LATER_BYTES);
        gateway.isHeard();
        assertThat(gateway.events).as("before the first is void").isOne();
        gateway.ofClaim(1, LinkFrame.VOID);
        gateway.isHeard();
        expectTheSecondOffer();
        assertThat(gateway.claimed()).containsExactly(FIRST_PARTNER, SECOND_PARTNER);
    }

    @Test
    void anEmptyMessageIsOverWithItsOwnSize() throws IOException {
        gateway.offer(SECOND_PARTNER, 0);
        gateway.ofClaim(1, LinkFrame.VOID);
        gateway.isHeard();
        assertThat(move()).as("offered anew").isEqualTo(ClientLink.MOVING);
        gateway.ofClaim(2, LinkFrame.MOVED);
        gateway.isHeard();
        assertThat(move()).as("over, with success").isZero();
        assertThat(ClientEvents.grantBytes(gateway.grant))
                .as("bytes of the empty message")
                .isZero();
        assertThat(ClientEvents.operationId(gateway.grant)).isEqualTo(SECOND_PARTNER);
    }

    @Test
    void aVoidClaimLeavesTheOperationAsItWas() throws IOException {
        gateway.ofClaim(1, LinkFrame.VOID);
        gateway.isHeard();
        assertThat(move()).isEqualTo(ClientLink.VOIDED);
        assertThat(ClientEvents.operationId(gateway.grant)).isEqualTo(FIRST_PARTNER);
        assertThat(gateway.events).as("the first offer").isOne();
    }

    @Test
    void whatFailedInPlaceOfTheOfferIsOverWithItsCode() throws IOException {
        int code = ErrorCode.EHOSTDOWN.negativeValue();
        gateway.failed(code);
        gateway.isHeard();
        assertThat(move()).isEqualTo(code);
        assertThat(gateway.events).as("the first offer").isOne();
    }
}
