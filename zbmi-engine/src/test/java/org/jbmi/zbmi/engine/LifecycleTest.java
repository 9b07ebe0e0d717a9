package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;

/** Arrivals, goodbyes and deaths. */
@Timeout(30)
class LifecycleTest extends EngineFixture {
    private static final int EHOSTDOWN = ErrorCode.EHOSTDOWN.negativeValue();

    @Test
    void theServerIsToldWhoIsThereAndWhoComesAndGoes() {
        engine.serverGone(true);
        engine.clientGone(B, EHOSTDOWN, true);
        saidNothing();
        engine.serverAttached(2);
        said("s attached c1 11", "s attached c3 13");
        engine.clientAttached(B, 22);
        engine.clientGone(C, ErrorCode.EPIPE.negativeValue(), true);
        said("s attached c2 22", "s gone c3 13: EPIPE");
    }

    @Test
    void aDeadClientsOperationsVanishAndTheServersToItEnd() {
        send(A, 1, 5, 500);
        receive(A, 2, 6, 500);
        unexpected(A, 3, 7, 500, 60_000);
        postReceive(70, A, 8, 500);
        postSend(71, A, 9, 500);
        postReceive(72, B, 8, 500);
        output.take();
        engine.clientGone(A, EHOSTDOWN, true);
        assertThat(output.take())
                .containsExactlyInAnyOrder(
                        "s gone c1 11: EHOSTDOWN",
                        "s completion 70: EHOSTDOWN",
                        "s completion 71: EHOSTDOWN");
        assertThat(engine.pendingOperations()).isEqualTo(1);
    }

    @Test
    void postsToADeadClientAreRefusedAlsoWhenItsSessionIsSomebodyElses() {
        engine.clientGone(A, EHOSTDOWN, true);
        output.take();
        postReceive(70, A, 5, 10);
        engine.clientAttached(A, 99);
        postReceive(71, A, 5, 10);
        postReceive(72, 0, 5, 10);
        postReceive(73, 5, 5, 10);
        postReceive(74, -1, 5, 10);
        said(
                "s refused 70 for 1: EHOSTDOWN",
                "s attached c1 99",
                "s refused 71 for 2: EHOSTDOWN",
                "s refused 72 for 3: EINVAL",
                "s refused 73 for 4: EINVAL",
                "s refused 74 for 5: EINVAL");
    }

    @Test
    void whatADeadClientHadNotClaimedEndsAtOnceAndWhatItHadEndsWithTheProof() {
        postReceive(70, A, 5, 500);
        postReceive(71, A, 6, 500);
        send(A, 1, 5, 500);
        claim(output.lastGrant());
        send(A, 2, 6, 500);
        output.take();
        engine.clientGone(A, EHOSTDOWN, false);
        said("s gone c1 11: EHOSTDOWN", "s completion 71: EHOSTDOWN");
        assertThat(engine.mayAttachClient(A)).isFalse();
        engine.clientProvedDead(A);
        said("s completion 70: EHOSTDOWN");
        assertThat(engine.mayAttachClient(A)).isTrue();
    }

    @Test
    void aCancelWaitsForTheProofOfAMoversDeath() {
        postReceive(70, A, 5, 500);
        send(A, 1, 5, 500);
        claim(output.lastGrant());
        engine.clientGone(A, EHOSTDOWN, false);
        output.take();
        cancel(70, output.lastZoidId);
        said("s requested 70 for 3");
        engine.clientProvedDead(A);
        said("s completion 70: EHOSTDOWN");
    }

    @Test
    void messagesOfADeadClientThatWereAcceptedAreDeliveredBeforeTheServerHearsOfItsEnd() {
        unexpected(A, 1, 1, 500);
        claim(output.lastGrant());
        unexpectedInline(A, 2, 2, 99);
        output.take();
        engine.clientGone(A, EHOSTDOWN, false);
        said("s unexpected from c1 tag 2: 8", "s gone c1 11: EHOSTDOWN");
        assertThat(engine.liveUnexpectedBlocks()).as("one delivered, one doomed").isEqualTo(2);
        engine.clientProvedDead(A);
        assertThat(engine.liveUnexpectedBlocks()).isEqualTo(1);
        engine.unexpectedFree(output.arrived.getLast().offset());
        assertThat(engine.liveUnexpectedBlocks()).isZero();
    }

    @Test
    void theMemoryOfADeadClientComesBackToThoseWhoWait() {
        fillChunks(CHUNKS - 1);
        unexpected(A, 1, 0, MAX_UNEXPECTED);
        claim(output.lastGrant());
        test(B, 60_000);
        unexpected(B, 9, 0, MAX_UNEXPECTED);
        output.take();
        engine.clientGone(A, EHOSTDOWN, false);
        said("s gone c1 11: EHOSTDOWN");
        engine.clientProvedDead(A);
        said("c2 grant 9 for 0: 1024");
        move(output.lastGrant());
    }

    @Test
    void aSuccessorOfADeadClientStartsWithItsOwnShare() {
        unexpected(A, 1, 0, MAX_UNEXPECTED);
        move(output.lastGrant());
        long held = output.arrived.getLast().offset();
        engine.clientGone(A, EHOSTDOWN, true);
        engine.clientAttached(A, 99);
        assertThat(engine.state().client(A).unexpected.heldChunks).isZero();
        engine.unexpectedFree(held);
        assertThat(engine.state().client(A).unexpected.heldChunks).isZero();
        unexpected(A, 1, 0, MAX_UNEXPECTED);
        move(output.lastGrant());
        engine.clientGone(A, -1, true);
        engine.clientAttached(A, 10 + A);
    }

    @Test
    void nothingIsHeardOfAClientThatIsGone() {
        engine.clientGone(A, EHOSTDOWN, false);
        output.take();
        send(A, 1, 5, 10);
        receive(A, 2, 5, 10);
        unexpectedInline(A, 3, 5, 10);
        test(A, 0);
        done(A, 64, 0, 0);
        withdraw(A, 1, 1);
        disarm(A, 1);
        saidNothing();
        engine.clientProvedDead(A);
        engine.clientProvedDead(A);
        engine.clientGone(A, EHOSTDOWN, true);
        saidNothing();
    }

    @Test
    void theWaitOfADeadClientEndsWithoutAReply() {
        test(A, 1000);
        send(A, 1, 5, 10, 500);
        engine.clientGone(A, EHOSTDOWN, true);
        output.take();
        nowNs += 2000 * MS;
        engine.tick(nowNs);
        saidNothing();
    }

    @Test
    void aSessionInUseCannotBeAttachedAgain() {
        assertThat(engine.mayAttachClient(A)).isFalse();
        assertThatThrownBy(() -> engine.clientAttached(A, 5))
                .isInstanceOf(IllegalStateException.class);
        assertThat(engine.mayAttachServer()).isFalse();
        assertThatThrownBy(() -> engine.serverAttached(5))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aServerThatSaysGoodbyeEndsWhatClientsHavePending() {
        send(A, 1, 5, 500);
        receive(B, 2, 5, 500);
        postReceive(70, A, 6, 500);
        send(A, 3, 6, 500);
        unexpectedInline(A, 4, 1, 9);
        output.take();
        engine.finish(77);
        said(
                "c1 failed 3 for 0: EPIPE",
                "c1 failed 1 for 0: EPIPE",
                "c2 failed 2 for 0: EPIPE",
                "s finished for 77: 0");
        assertThat(engine.liveUnexpectedBlocks()).isZero();
        assertThat(engine.pendingOperations()).isZero();
        engine.serverGone(true);
        saidNothing();
        send(A, 5, 6, 500);
        engine.serverAttached(2);
        postReceive(80, A, 6, 500);
        test(A, 0);
        assertThat(output.lastGrant().reference()).isEqualTo(5);
        move(output.lastGrant());
    }

    @Test
    void aGoodbyeAnswersThePostsThatAreStillInside() {
        send(A, 1, 5, 500);
        test(A, 60_000);
        postReceive(70, A, 5, 500);
        output.take();
        engine.finish(77);
        said("s refused 70 for 3: ECANCEL", "c1 failed 1 for 0: EPIPE", "s finished for 77: 0");
        assertThat(claim(output.lastGrant())).isFalse();
        assertThat(engine.pendingOperations()).isZero();
    }

    @Test
    void aGoodbyeDoesNotCallCancelledWhatAClientIsMoving() {
        receive(A, 1, 5, 500);
        receive(A, 2, 5, 500);
        test(A, 60_000);
        output.take();
        long moved = postSend(70, A, 5, 500);
        assertThat(claim(output.lastGrant())).isTrue();
        long offered = postSend(71, A, 5, 500);
        RecordingOutput.Granted second = output.lastGrant();
        output.take();
        engine.finish(77);
        said(
                "s refused 71 for " + offered + ": ECANCEL",
                "s refused 70 for " + moved + ": EHOSTDOWN",
                "c1 failed 2 for 0: EPIPE",
                "c1 failed 1 for 0: EPIPE",
                "s finished for 77: 1");
        assertThat(claim(second)).isFalse();
        engine.clientGone(A, -1, true);
        engine.clientAttached(A, 99);
        output.take();
    }

    @Test
    void noServerComesWhileBytesOfTheLastOneAreMoved() {
        postReceive(70, A, 5, 500);
        send(A, 1, 5, 500);
        claim(output.lastGrant());
        output.take();
        engine.finish(77);
        said("c1 failed 1 for 0: EPIPE", "s finished for 77: 1");
        engine.serverGone(true);
        assertThat(engine.orphanMovers()).isEqualTo(1);
        assertThat(engine.mayAttachServer()).isFalse();
        done(output.lastGrant());
        assertThat(engine.mayAttachServer()).isTrue();
        saidNothing();
    }

    @Test
    void aMoverThatDiesLetsTheNextServerIn() {
        postReceive(70, A, 5, 500);
        send(A, 1, 5, 500);
        claim(output.lastGrant());
        engine.serverGone(true);
        engine.clientGone(A, EHOSTDOWN, false);
        assertThat(engine.mayAttachServer()).isFalse();
        engine.clientProvedDead(A);
        assertThat(engine.mayAttachServer()).isTrue();
    }

    @Test
    void aServerThatDiesEndsWhatClientsHavePending() {
        send(A, 1, 5, 500);
        receive(B, 2, 5, 500, 60_000);
        unexpectedEager(C, 3, 5, 10, 0, 9);
        postReceive(70, A, 6, 500);
        send(A, 4, 6, 500);
        claim(output.lastGrant());
        test(A, 60_000);
        output.take();
        engine.serverGone(false);
        List<String> lines = new ArrayList<>(output.take());
        assertThat(lines)
                .containsExactlyInAnyOrder(
                        "c1 failed 1 for 0: EHOSTDOWN",
                        "c1 failed 4 for 0: EHOSTDOWN",
                        "c2 failed 2 for 2: EHOSTDOWN");
        assertThat(engine.pendingOperations()).as("the one that moves").isEqualTo(1);
        done(output.lastGrant());
        assertThat(engine.pendingOperations()).isZero();
        saidNothing();
        engine.serverProvedDead();
    }

    @Test
    void theBlocksOfAServerThatMayStillLiveStayOutOfUse() {
        unexpectedInline(A, 1, 1, 9);
        engine.serverGone(false);
        assertThat(engine.liveUnexpectedBlocks()).isEqualTo(1);
        assertThat(engine.mayAttachServer()).isFalse();
        engine.unexpectedFree(output.arrived.getLast().offset());
        assertThat(engine.liveUnexpectedBlocks()).isEqualTo(1);
        engine.serverProvedDead();
        assertThat(engine.liveUnexpectedBlocks()).isZero();
        assertThat(engine.mayAttachServer()).isTrue();
    }

    @Test
    void aMessageInTransferWhenTheServerDiesIsDropped() {
        unexpected(A, 1, 1, 500);
        claim(output.lastGrant());
        engine.serverGone(true);
        engine.serverAttached(2);
        output.take();
        done(output.lastGrant());
        saidNothing();
        assertThat(engine.liveUnexpectedBlocks()).isZero();
        assertThat(count(EngineCounter.UNEXPECTED_DROPPED)).isEqualTo(1);
    }

    @Test
    void nothingIsHeardOfAServerThatIsGone() {
        engine.serverGone(true);
        postReceive(70, A, 5, 10);
        cancel(70, 1);
        engine.unexpectedFree(0);
        engine.finish(5);
        saidNothing();
    }
}
