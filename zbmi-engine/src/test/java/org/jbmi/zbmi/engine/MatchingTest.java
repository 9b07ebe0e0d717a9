package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jbmi.zbmi.protocol.ClientRequests.NOT_EAGER;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.protocol.SessionArea;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;

/** Who meets whom, in which order, and what happens to sizes that do not fit. */
@Timeout(30)
class MatchingTest extends EngineFixture {

    @Test
    void aSendWithoutAReceiveIsPending() {
        send(A, 7, 5, 500);
        said("c1 pending 7 for 1");
    }

    @Test
    void aSendThatFindsAReceiveIsGrantedInItsOwnCall() {
        postReceive(70, A, 5, 1000);
        said("s registered 70 for 1");
        send(A, 7, 5, 500);
        said("c1 grant 7 for 2: 500");
        assertThat(output.lastGrant().offset()).isEqualTo(EXPECTED + 70 * 64);
        move(output.lastGrant());
        said("s completion 70: 500");
    }

    @Test
    void aReceiveThatFindsASendIsGrantedInItsOwnCall() {
        postSend(70, A, 5, 500);
        receive(A, 7, 5, 1000);
        said("s registered 70 for 1", "c1 grant 7 for 2: 500");
        move(output.lastGrant());
        said("s completion 70: 500");
    }

    @Test
    void aPostThatIsNoCallIsRegisteredWithoutReplyAndGrantedOnceItsClientWaits() {
        postReceive(70, A, 5, 1000);
        said("s registered 70 for 1");
        send(A, 0, 7, 5, 500, 0, NOT_EAGER, 0);
        said("c1 pending 7 for 0");
        test(A, 0);
        said("c1 grant 7 for 0: 500", "c1 tested 2: 1");
        move(output.lastGrant());
        said("s completion 70: 500");
    }

    @Test
    void aMatchWaitsForAnAbsentClientAndNothingIsGrantedToIt() {
        send(A, 7, 5, 500);
        postReceive(70, A, 5, 1000);
        said("c1 pending 7 for 1", "s registered 70 for 2");
        test(A, 0);
        said("c1 grant 7 for 0: 500", "c1 tested 3: 1");
        move(output.lastGrant());
        said("s completion 70: 500");
    }

    @Test
    void aClientThatWaitsIsGrantedAtOnceAndThePostIsAnsweredWithTheOutcome() {
        send(A, 7, 5, 500);
        test(A, 1000);
        said("c1 pending 7 for 1");
        postReceive(70, A, 5, 1000);
        said("c1 grant 7 for 0: 500");
        move(output.lastGrant());
        said("s done 70 for 3: 500");
    }

    @Test
    void tagsClientsAndDirectionsDoNotMix() {
        send(A, 1, 5, 10);
        send(A, 2, 6, 10);
        send(B, 3, 5, 10);
        receive(A, 4, 5, 10);
        output.take();
        test(A, 0);
        test(B, 0);
        said("c1 tested 5: 0", "c2 tested 6: 0");
        postReceive(70, B, 5, 10);
        postReceive(71, A, 6, 10);
        postSend(72, A, 5, 10);
        output.take();
        test(B, 0);
        test(A, 0);
        said(
                "c2 grant 3 for 0: 10",
                "c2 tested 10: 1",
                "c1 grant 2 for 0: 10",
                "c1 grant 4 for 0: 10",
                "c1 tested 11: 2");
    }

    @Test
    void allTagsThatFitAnIntAreTold() {
        for (int tag : new int[] {Integer.MIN_VALUE, -1, 0, Integer.MAX_VALUE}) {
            send(A, tag, tag, 10);
        }
        for (int tag : new int[] {0, Integer.MAX_VALUE, Integer.MIN_VALUE, -1}) {
            output.take();
            postReceive(70, A, tag, 10);
            test(A, 0);
            assertThat(output.lastGrant().reference()).isEqualTo(tag);
        }
    }

    @Test
    void messagesOfATagAreFirstInFirstOut() {
        send(A, 1, 5, 10);
        send(A, 2, 5, 20);
        send(A, 3, 5, 30);
        postReceive(70, A, 5, 100);
        postReceive(71, A, 5, 100);
        output.take();
        test(A, 0);
        said("c1 grant 1 for 0: 10", "c1 grant 2 for 0: 20", "c1 tested 6: 2");
        assertThat(output.grants.get(0).offset()).isEqualTo(EXPECTED + 70 * 64);
        assertThat(output.grants.get(1).offset()).isEqualTo(EXPECTED + 71 * 64);
    }

    @Test
    void aNewSendNeverOvertakesAnOlderOneOfItsTag() {
        send(A, 1, 5, 10);
        postReceive(70, A, 5, 100);
        output.take();
        send(A, 2, 5, 20);
        said("c1 pending 2 for 3");
        test(A, 0);
        said("c1 grant 1 for 0: 10", "c1 tested 4: 1");
    }

    @Test
    void anEagerSendDoesNotOvertakeAnOlderLongOne() {
        send(A, 1, 5, 5000);
        sendEager(A, 2, 5, 10, 0, 99);
        postReceive(70, A, 5, 5000);
        postReceive(71, A, 5, 5000);
        output.take();
        test(A, 0);
        said("c1 grant 1 for 0: 5000", "c1 tested 5: 1");
        move(output.lastGrant());
        said("s completion 70: 5000", "c1 completed 2 for 0: 10", "s completion 71: 10");
        assertThat(payload.read(EXPECTED + 71 * 64)).isEqualTo(99);
    }

    @Test
    void aShortMessageCompletesALongReceiveWithItsOwnSize() {
        postReceive(70, A, 5, 32_000);
        send(A, 1, 5, 15_000);
        move(output.lastGrant());
        said("s registered 70 for 1", "c1 grant 1 for 2: 15000", "s completion 70: 15000");
    }

    @Test
    void aMessageOfNoBytesIsAMessage() {
        postReceive(70, A, 5, 0);
        send(A, 1, 5, 0);
        move(output.lastGrant());
        said("s registered 70 for 1", "c1 grant 1 for 2: 0", "s completion 70: 0");
    }

    @Test
    void aReceiveOfTheServerTooSmallForAWaitingMessageIsRefusedAndTheMessageStays() {
        send(A, 1, 5, 500);
        postReceive(70, A, 5, 499);
        said("c1 pending 1 for 1", "s refused 70 for 2: EPROTO");
        postReceive(71, A, 5, 500);
        test(A, 0);
        said("s registered 71 for 3", "c1 grant 1 for 0: 500", "c1 tested 4: 1");
    }

    @Test
    void aReceiveIsMeasuredAgainstTheMessageThatItWouldGet() {
        send(A, 1, 5, 100);
        send(A, 2, 5, 500);
        postReceive(70, A, 5, 100);
        output.take();
        postReceive(71, A, 5, 100);
        said("s refused 71 for 4: EPROTO");
        postReceive(72, A, 5, 500);
        postReceive(73, A, 5, 1);
        said("s registered 72 for 5", "s registered 73 for 6");
    }

    @Test
    void aReceiveOfTheServerThatWasThereFirstAndIsTooSmallEndsAndTheMessageIsDropped() {
        postReceive(70, A, 5, 499);
        output.take();
        send(A, 1, 5, 500);
        said("c1 completed 1 for 2: 500", "s completion 70: EMSGSIZE");
        assertThat(count(EngineCounter.TOO_LONG)).isEqualTo(1);
    }

    @Test
    void anEagerMessageThatIsTooLongIsTakenBeforeItIsDropped() {
        postReceive(70, A, 5, 9);
        output.take();
        long sequence = sendEager(A, 1, 5, 10, 0, 99);
        said("c1 completed 1 for 2: 10", "s completion 70: EMSGSIZE");
        assertThat(payload.withdraw(A, 0, sequence)).isFalse();
        assertThat(payload.copies).isEmpty();
    }

    @Test
    void aReceiveOfAClientTooSmallForAWaitingMessageIsRefusedAndTheMessageStays() {
        postSend(70, A, 5, 500);
        output.take();
        receive(A, 1, 5, 499);
        said("c1 failed 1 for 2: EPROTO");
        receive(A, 2, 5, 500);
        said("c1 grant 2 for 3: 500");
    }

    @Test
    void aReceiveOfAClientThatWasThereFirstAndIsTooSmallEndsAndTheMessageIsDropped() {
        receive(A, 1, 5, 499);
        output.take();
        postSend(70, A, 5, 500);
        said("s registered 70 for 2");
        test(A, 0);
        said("c1 grant 1 for 0: 500", "c1 tested 3: 1");
        refuseAsTooLong(output.lastGrant());
        said("s completion 70: 500");
        assertThat(count(EngineCounter.TOO_LONG)).isEqualTo(1);
        assertThat(count(EngineCounter.MESSAGES_RECEIVED)).isZero();
    }

    /**
     * Nothing is lost for a receive that its owner has given up, whenever the engine hears of it.
     */
    @Test
    void aMessageThatMeetsTheRemainsOfATooSmallReceiveWaitsForTheNextOne() {
        receive(A, 1, 5, 10);
        long cancelled = output.lastOperationId;
        test(A, 60_000);
        postSend(70, A, 5, 100);
        receive(A, 2, 5, 100);
        output.take();
        withdraw(A, cancelled, 1);
        said("s registered 70 for 3", "c1 grant 2 for 0: 100");
        move(output.lastGrant());
        said("s completion 70: 100");
        assertThat(count(EngineCounter.TOO_LONG)).isZero();
    }

    @Test
    void aClientCannotHaveHadWhatThereWasNoRoomFor() {
        receive(A, 1, 5, 10);
        test(A, 60_000);
        postSend(70, A, 5, 100);
        output.take();
        move(output.lastGrant());
        said("fault 1 BAD_DONE");
    }

    private void refuseAsTooLong(RecordingOutput.Granted grant) {
        assertThat(claim(grant)).isTrue();
        done(A, grant.grantId(), 0, ErrorCode.EMSGSIZE.negativeValue());
    }

    @Test
    void aTooSmallReceiveLaterInTheQueueEndsWhenItsTurnComes() {
        postReceive(70, A, 5, 100);
        postReceive(71, A, 5, 100);
        output.take();
        send(A, 1, 5, 50);
        said("c1 grant 1 for 3: 50");
        send(A, 2, 5, 200);
        said("c1 pending 2 for 4");
        move(output.lastGrant());
        said("s completion 70: 50", "c1 completed 2 for 0: 200", "s completion 71: EMSGSIZE");
    }

    @Test
    void aReceiveThatACancelHasMovedBeforeALongerMessageEndsAndTheMessageStays() {
        send(A, 1, 5, 500);
        send(A, 2, 5, 100);
        postReceive(70, A, 5, 500);
        long first = output.lastZoidId;
        postReceive(71, A, 5, 100);
        output.take();
        cancel(70, first);
        said("s completion 71: EPROTO", "s cancelled 70 for 5");
        postReceive(72, A, 5, 500);
        test(A, 0);
        said("s registered 72 for 6", "c1 grant 1 for 0: 500", "c1 tested 7: 1");
    }

    @Test
    void sizesAboveTheLimitsAreRefusedOnBothSides() {
        send(A, 1, 5, (1 << 16) + 1);
        receive(A, 2, 5, (1 << 16) + 1);
        unexpected(A, 3, 5, MAX_UNEXPECTED + 1);
        postSend(70, A, 5, (1 << 16) + 1);
        said(
                "c1 failed 1 for 1: EMSGSIZE",
                "c1 failed 2 for 2: EMSGSIZE",
                "c1 failed 3 for 3: EMSGSIZE",
                "s refused 70 for 4: EMSGSIZE");
        send(A, 4, 5, 1 << 16);
        postReceive(71, A, 5, 1 << 16);
        said("c1 pending 4 for 5", "s registered 71 for 6");
    }

    @Test
    void grantsGoRoundTheTagsThatAreReady() {
        for (int i = 0; i < 3; i++) {
            send(A, 10 + i, 1, 10);
            send(A, 20 + i, 2, 10);
            postReceive(70 + i, A, 1, 10);
            postReceive(80 + i, A, 2, 10);
        }
        output.take();
        test(A, 0);
        assertThat(output.grants)
                .extracting(RecordingOutput.Granted::reference)
                .containsExactly(10L, 20L, 11L, 21L, 12L, 22L);
    }

    @Test
    void noMoreThan64GrantsAreUnderWayAndTheRestFollows() {
        engine.clientGone(A, -1, true);
        engine.clientAttached(A, 11);
        for (int i = 0; i < 100; i++) {
            send(A, i, i % 3, 10);
            postReceive(i, A, i % 3, 10);
        }
        test(A, 1000);
        assertThat(output.grants).hasSize(64);
        for (int i = 0; i < 100; i++) {
            move(output.grants.get(i));
        }
        assertThat(output.grants).hasSize(100);
        assertThat(count(EngineCounter.MESSAGES_SENT)).isEqualTo(100);
    }

    @Test
    void anUnexpectedMessageThatWaitsForAGrantGetsOneThatBecomesFree() {
        fillGrants(5);
        unexpected(A, 900, 1, MAX_UNEXPECTED);
        assertThat(output.grants).hasSize(SessionArea.WINDOWS);
        List.copyOf(output.grants).forEach(this::move);
        assertThat(output.grants).hasSize(SessionArea.WINDOWS + 1);
        assertThat(output.lastGrant().reference()).isEqualTo(900);
        move(output.lastGrant());
    }

    @Test
    void whatWaitsForAGrantGetsOneThatACancelOfTheServerFrees() {
        List<Long> zoidIds = fillGrants(5);
        waitForGrants();
        for (int i = 0; i < SessionArea.WINDOWS; i++) {
            cancel(i, zoidIds.get(i));
        }
        theyHaveGrants();
    }

    @Test
    void whatWaitsForAGrantGetsOneThatADeadlineOfTheServerFrees() {
        for (int i = 0; i < SessionArea.WINDOWS; i++) {
            send(A, i, 5, 10);
            int life = 10 + A;
            post(false, i + 1, i, A, life, 5, 10, EXPECTED + i * 64, 0, 0, 2000, nowNs);
        }
        test(A, 60_000);
        waitForGrants();
        nowNs += 2000 * MS;
        engine.tick(nowNs);
        theyHaveGrants();
    }

    @Test
    void whatWaitsForAGrantGetsOneThatAWithdrawalFrees() {
        fillGrants(5);
        waitForGrants();
        for (RecordingOutput.Granted grant : List.copyOf(output.grants)) {
            withdraw(A, grant.operationId(), grant.reference());
        }
        theyHaveGrants();
    }

    @Test
    void whatWaitsForAGrantGetsOneThatAWithdrawnUnexpectedMessageFrees() {
        int half = SessionArea.WINDOWS / 2;
        for (int i = 0; i < half; i++) {
            unexpected(A, i, 1, 8);
            postReceive(100 + i, A, 5, 10);
            send(A, 100 + i, 5, 10);
        }
        test(A, 60_000);
        send(A, 800, 6, 10);
        postReceive(800, A, 6, 10);
        assertThat(output.grants).hasSize(SessionArea.WINDOWS);
        for (RecordingOutput.Granted grant : List.copyOf(output.grants)) {
            if (grant.reference() < half) {
                withdraw(A, grant.operationId(), grant.reference());
            }
        }
        assertThat(output.grants).extracting(RecordingOutput.Granted::reference).contains(800L);
        output.take();
    }

    @Test
    void grantsThatBecomeFreeGoInTurnToAllThatWaitForOne() {
        int more = 8;
        fillGrants(5);
        for (int i = 0; i < more; i++) {
            postReceive(200 + i, A, 5, 10);
            send(A, 200 + i, 5, 10);
        }
        waitForGrants();
        moveFirst(3);
        assertThat(output.grants)
                .extracting(RecordingOutput.Granted::reference)
                .endsWith(200L, 800L, 900L);
        output.take();
    }

    @Test
    void grantsOfUnexpectedMessagesGoInTurnToAllThatWaitForOne() {
        int first = 16;
        for (int i = 0; i < first; i++) {
            unexpected(A, i, 1, 8);
        }
        for (int i = first; i < SessionArea.WINDOWS; i++) {
            postReceive(i, A, 5, 10);
            send(A, i, 5, 10);
        }
        test(A, 60_000);
        unexpected(A, 900, 1, 8);
        unexpected(A, 901, 1, 8);
        send(A, 800, 6, 10);
        postReceive(800, A, 6, 10);
        assertThat(output.grants).hasSize(SessionArea.WINDOWS);
        moveFirst(2);
        assertThat(output.grants)
                .extracting(RecordingOutput.Granted::reference)
                .endsWith(900L, 800L);
        output.take();
    }

    @Test
    void anUnexpectedMessageHasItsTurnFromItsPostOn() {
        fillGrants(5);
        unexpected(A, 900, 1, MAX_UNEXPECTED);
        send(A, 800, 6, 10);
        postReceive(800, A, 6, 10);
        moveFirst(1);
        assertThat(output.lastGrant().reference()).isEqualTo(900);
        output.take();
    }

    private void moveFirst(int count) {
        List.copyOf(output.grants).subList(0, count).forEach(this::move);
    }

    /** The ids of the receives to which the grants belong. */
    private List<Long> fillGrants(int tag) {
        List<Long> zoidIds = new ArrayList<>();
        for (int i = 0; i < SessionArea.WINDOWS; i++) {
            postReceive(i, A, tag, 10);
            zoidIds.add(output.lastZoidId);
            send(A, i, tag, 10);
        }
        test(A, 60_000);
        assertThat(output.grants).hasSize(SessionArea.WINDOWS);
        return zoidIds;
    }

    private void waitForGrants() {
        send(A, 800, 6, 10);
        postReceive(800, A, 6, 10);
        unexpected(A, 900, 1, MAX_UNEXPECTED);
        assertThat(output.grants).hasSize(SessionArea.WINDOWS);
    }

    private void theyHaveGrants() {
        assertThat(output.grants)
                .extracting(RecordingOutput.Granted::reference)
                .contains(800L, 900L);
        output.take();
    }
}
