package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.protocol.GrantWindow;
import org.jbmi.zbmi.protocol.SessionArea;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What happens when a cancel, a goodbye of a wait or a death meets a grant that is under way. */
@Timeout(30)
class GrantRacesTest extends EngineFixture {

    private RecordingOutput.Granted grantedReceive() {
        postReceive(70, A, 5, 1000);
        send(A, 1, 5, 500);
        said("s registered 70 for 1", "c1 grant 1 for 2: 500");
        return output.lastGrant();
    }

    @Test
    void theServerCancelsAGrantThatIsNotClaimed() {
        RecordingOutput.Granted grant = grantedReceive();
        cancel(70, output.lastZoidId);
        said("s cancelled 70 for 3");
        assertThat(claim(grant)).as("the client finds its grant void").isFalse();
        postReceive(71, A, 5, 1000);
        test(A, 0);
        said("s registered 71 for 4", "c1 grant 1 for 0: 500", "c1 tested 5: 1");
        move(output.lastGrant());
        said("s completion 71: 500");
        assertThat(count(EngineCounter.GRANTS_TAKEN_BACK)).isEqualTo(1);
    }

    @Test
    void theServerCancelsAGrantThatIsClaimed() {
        RecordingOutput.Granted grant = grantedReceive();
        assertThat(claim(grant)).isTrue();
        cancel(70, output.lastZoidId);
        said("s requested 70 for 3");
        done(grant);
        said("s completion 70: 500");
        cancel(70, output.lastZoidId);
        said("s unknown 70 for 4");
    }

    @Test
    void aClaimThatComesBetweenTheLookAndTheSwapWins() {
        RecordingOutput.Granted grant = grantedReceive();
        payload.beforeSwap = () -> assertThat(claim(grant)).isTrue();
        cancel(70, output.lastZoidId);
        said("s requested 70 for 3");
        done(grant);
        said("s completion 70: 500");
    }

    @Test
    void aClaimedGrantGoesOnWhenOneBehindItIsTakenBack() {
        RecordingOutput.Granted first = grantedReceive();
        postReceive(71, A, 5, 1000);
        long second = output.lastZoidId;
        send(A, 2, 5, 600);
        claim(first);
        output.take();
        cancel(71, second);
        said("s cancelled 71 for 5");
        assertThat(claim(output.lastGrant())).isFalse();
        done(first);
        said("s completion 70: 500");
        postReceive(72, A, 5, 1000);
        test(A, 0);
        said("s registered 72 for 6", "c1 grant 2 for 0: 600", "c1 tested 7: 1");
        move(output.lastGrant());
    }

    @Test
    void aCancelledReceiveGivesItsMessageToTheNextReceiveAndNobodyIsOvertaken() {
        RecordingOutput.Granted first = grantedReceive();
        long zoidId = output.lastZoidId;
        postReceive(71, A, 5, 1000);
        send(A, 2, 5, 600);
        RecordingOutput.Granted second = output.lastGrant();
        assertThat(second.reference()).isEqualTo(2);
        test(A, 1000);
        output.take();
        cancel(70, zoidId);
        said("c1 grant 1 for 0: 500", "s cancelled 70 for 6");
        assertThat(claim(first)).isFalse();
        assertThat(claim(second)).isFalse();
        RecordingOutput.Granted anew = output.lastGrant();
        assertThat(anew.offset()).isEqualTo(EXPECTED + 71 * 64);
        move(anew);
        said("s completion 71: 500");
        postReceive(72, A, 5, 1000);
        said("c1 grant 2 for 0: 600");
        move(output.lastGrant());
        said("s done 72 for 7: 600");
    }

    /** Three offers, some of them claimed, before the cancel or while it closes the window. */
    private static Stream<Arguments> severalOffers() {
        return IntStream.range(0, 4 * 3 * 2 * 2)
                .mapToObj(i -> Arguments.of(i % 4, i / 4 % 3, i / 12 % 2 == 0, i / 24 == 0));
    }

    @ParameterizedTest
    @MethodSource("severalOffers")
    void ofSeveralOffersTheCancelTakesOutTheOneThatIsMeantOrNone(
            int claimed, int cancelled, boolean isServers, boolean isRace) {
        List<Long> receives = new ArrayList<>(List.of(70L, 71L, 72L));
        List<Long> sends = new ArrayList<>(List.of(1L, 2L, 3L));
        long[] ids = new long[3];
        for (int i = 0; i < 3; i++) {
            postReceive(receives.get(i), A, 5, 1000);
            ids[i] = output.lastZoidId;
        }
        test(A, 60_000);
        sends.forEach(reference -> send(A, reference, 5, 500));
        List<RecordingOutput.Granted> offers = List.copyOf(output.grants);
        output.grants.clear();
        output.take();
        Runnable claims = () -> offers.stream().limit(claimed).forEach(this::claim);
        if (isRace) {
            payload.beforeSwap = claims;
        } else {
            claims.run();
        }

        boolean isTooLate = cancelled < claimed;
        if (isServers) {
            cancel(receives.get(cancelled), ids[cancelled]);
            String answer = isTooLate ? "s requested 7" : "s cancelled 7";
            assertThat(output.take())
                    .filteredOn(line -> line.startsWith("s "))
                    .singleElement()
                    .asString()
                    .startsWith(answer + cancelled);
        } else {
            withdraw(A, offers.get(cancelled).operationId(), sends.get(cancelled));
        }
        if (!isTooLate) {
            (isServers ? receives : sends).remove(cancelled);
            offers.stream().skip(claimed).forEach(o -> assertThat(claim(o)).isFalse());
        }
        List<RecordingOutput.Granted> moved = new ArrayList<>(offers.subList(0, claimed));
        if (isTooLate) {
            // Those that are not claimed are offered anew, or still.
            moved.addAll(output.grants.isEmpty() ? offers.subList(claimed, 3) : output.grants);
        } else {
            (isServers ? sends : receives).removeLast();
            moved.addAll(output.grants);
        }
        moved.subList(claimed, moved.size()).forEach(o -> assertThat(claim(o)).isTrue());
        moved.forEach(this::done);

        assertThat(moved).extracting(RecordingOutput.Granted::reference).isEqualTo(sends);
        assertThat(moved).extracting(o -> (o.offset() - EXPECTED) / 64).isEqualTo(receives);
        assertThat(output.take())
                .filteredOn(line -> line.startsWith("s "))
                .isEqualTo(receives.stream().map(r -> "s completion " + r + ": 500").toList());
    }

    @Test
    void theClientCancelsAndIgnoresItsGrantAndTheServersOperationIsFirstAgain() {
        RecordingOutput.Granted grant = grantedReceive();
        withdraw(A, grant.operationId(), 1);
        saidNothing();
        send(A, 2, 5, 600);
        said("c1 grant 2 for 3: 600");
        assertThat(output.lastGrant().offset()).isEqualTo(EXPECTED + 70 * 64);
        assertThat(claim(grant)).isFalse();
        move(output.lastGrant());
        said("s completion 70: 600");
    }

    @Test
    void aGrantBehindAnIgnoredOneCannotBeClaimedAndIsGivenAnewInOrder() {
        RecordingOutput.Granted first = grantedReceive();
        postReceive(71, A, 5, 1000);
        send(A, 2, 5, 600);
        RecordingOutput.Granted second = output.lastGrant();
        test(A, 1000);
        output.take();
        // The client has cancelled its first send; its note is on the way.
        assertThat(claim(second)).as("a claim passes no older offer").isFalse();
        withdraw(A, first.operationId(), 1);
        said("c1 grant 2 for 0: 600");
        RecordingOutput.Granted anew = output.lastGrant();
        assertThat(anew.offset()).as("the older receive").isEqualTo(EXPECTED + 70 * 64);
        move(anew);
        said("s completion 70: 600");
    }

    @Test
    void aWithdrawThatComesAfterTheClaimChangesNothing() {
        RecordingOutput.Granted grant = grantedReceive();
        claim(grant);
        withdraw(A, grant.operationId(), 1);
        saidNothing();
        done(grant);
        said("s completion 70: 500");
    }

    @Test
    void aWithdrawOfSomethingThatIsOverOrSomebodyElsesIsIgnored() {
        send(A, 1, 5, 500);
        long id = output.lastOperationId;
        withdraw(B, id, 1);
        withdraw(A, id, 2);
        withdraw(A, id + 1, 1);
        withdraw(A, -1, 1);
        assertThat(engine.pendingOperations()).isEqualTo(1);
        withdraw(A, id, 1);
        assertThat(engine.pendingOperations()).isZero();
        withdraw(A, id, 1);
        postReceive(70, A, 5, 500);
        long zoidId = output.lastZoidId;
        withdraw(A, zoidId, 70);
        assertThat(engine.pendingOperations()).isEqualTo(1);
        said("c1 pending 1 for 1", "s registered 70 for 2");
    }

    @Test
    void aClientThatStopsWaitingGivesUnclaimedGrantsBack() {
        send(A, 1, 5, 500);
        long wait = test(A, 1000);
        postReceive(70, A, 5, 1000);
        said("c1 pending 1 for 1", "c1 grant 1 for 0: 500");
        disarm(A, wait);
        said("s registered 70 for 3");
        assertThat(claim(output.lastGrant())).isFalse();
        cancel(70, output.lastZoidId);
        said("s cancelled 70 for 4");
    }

    @Test
    void aClientThatStopsWaitingKeepsWhatItHasClaimed() {
        send(A, 1, 5, 500);
        long wait = test(A, 1000);
        postReceive(70, A, 5, 1000);
        claim(output.lastGrant());
        disarm(A, wait);
        done(output.lastGrant());
        said("c1 pending 1 for 1", "c1 grant 1 for 0: 500", "s done 70 for 3: 500");
    }

    @Test
    void aDisarmOfAnotherWaitIsIgnored() {
        send(A, 1, 5, 500);
        long wait = test(A, 1000);
        disarm(A, wait - 1);
        disarm(B, wait);
        postReceive(70, A, 5, 1000);
        said("c1 pending 1 for 1", "c1 grant 1 for 0: 500");
        move(output.lastGrant());
    }

    @Test
    void anEagerMessageWaitsForAnOlderOfferThatIsNotClaimed() {
        RecordingOutput.Granted grant = grantedReceive();
        postReceive(71, A, 5, 1000);
        sendEager(A, 2, 5, 10, 0, 99);
        said("s registered 71 for 3", "c1 pending 2 for 4");
        assertThat(payload.copies).isEmpty();
        move(grant);
        said("s completion 70: 500", "c1 completed 2 for 0: 10", "s completion 71: 10");
    }

    @Test
    void anEagerMessageDoesNotWaitForAClaimedOne() {
        RecordingOutput.Granted grant = grantedReceive();
        claim(grant);
        postReceive(71, A, 5, 1000);
        sendEager(A, 2, 5, 10, 0, 99);
        said("s registered 71 for 3", "c1 completed 2 for 4: 10", "s completion 71: 10");
        done(grant);
        said("s completion 70: 500");
    }

    @Test
    void anEagerMessageThatItsOwnerHasTakenBackIsNotTaken() {
        long sequence = sendEager(A, 1, 5, 10, 0, 99);
        assertThat(payload.withdraw(A, 0, sequence)).isTrue();
        sendEager(A, 2, 5, 20, 1, 98);
        postReceive(70, A, 5, 1000);
        said(
                "c1 pending 1 for 1",
                "c1 pending 2 for 2",
                "c1 completed 2 for 0: 20",
                "s done 70 for 3: 20");
        assertThat(payload.read(EXPECTED + 70 * 64)).isEqualTo(98);
        assertThat(engine.pendingOperations()).isZero();
    }

    @Test
    void anEagerSlotThatIsUsedAgainIsNotTakenForTheOlderMessage() {
        long sequence = sendEager(A, 1, 5, 10, 0, 99);
        payload.withdraw(A, 0, sequence);
        sendEager(A, 2, 6, 20, 0, 98);
        output.take();
        postReceive(70, A, 5, 1000);
        said("s registered 70 for 3");
        postReceive(71, A, 6, 1000);
        said("c1 completed 2 for 0: 20", "s done 71 for 4: 20");
    }

    @Test
    void anEagerMessageThatTheEngineHasTakenCannotBeTakenBack() {
        long sequence = sendEager(A, 1, 5, 10, 0, 99);
        postReceive(70, A, 5, 1000);
        assertThat(payload.withdraw(A, 0, sequence)).isFalse();
    }

    @Test
    void aCancelledEagerMessageLeavesTheQueueWhenItsNoteArrives() {
        long sequence = sendEager(A, 1, 5, 50, 0, 99);
        payload.withdraw(A, 0, sequence);
        withdraw(A, output.lastOperationId, 1);
        postReceive(70, A, 5, 10);
        said("c1 pending 1 for 1", "s registered 70 for 2");
    }

    @Test
    void aTransferThatBreaksOffEndsTheServersOperationWithItsCode() {
        RecordingOutput.Granted grant = grantedReceive();
        claim(grant);
        done(A, grant.grantId(), 0, ErrorCode.EFAULT.negativeValue());
        said("s completion 70: EFAULT");
        assertThat(count(EngineCounter.MESSAGES_SENT)).isZero();
    }

    @Test
    void theAnswerToAServersPostIsHeldWhileAClientMovesAndNotForEver() {
        send(A, 1, 5, 500);
        test(A, 60_000);
        output.take();
        postReceive(70, A, 5, 1000);
        claim(output.lastGrant());
        said("c1 grant 1 for 0: 500");
        nowNs += 999 * MS;
        engine.tick(nowNs);
        saidNothing();
        assertThat(engine.nanosToNextDeadline(nowNs)).isEqualTo(MS);
        nowNs += MS;
        engine.tick(nowNs);
        said("s registered 70 for 3");
        done(output.lastGrant());
        said("s completion 70: 500");
    }

    @Test
    void aCancelOfAPostThatIsNotAnsweredAnswersItFirst() {
        send(A, 1, 5, 500);
        test(A, 60_000);
        postReceive(70, A, 5, 1000);
        output.take();
        long zoidId = engine.state().server.operations.first().operation.id();
        cancel(70, zoidId);
        said("s registered 70 for 3", "s cancelled 70 for 4");
    }

    @Test
    void manyGrantsOfManyTagsCanBeTakenBackAtOnce() {
        for (int i = 0; i < 50; i++) {
            send(A, i, i % 7, 10);
            postReceive(i, A, i % 7, 10);
        }
        long wait = test(A, 1000);
        assertThat(output.grants).hasSize(50);
        disarm(A, wait);
        for (RecordingOutput.Granted grant : output.grants) {
            assertThat(claim(grant)).isFalse();
        }
        output.grants.clear();
        test(A, 0);
        assertThat(output.grants).hasSize(50);
        for (RecordingOutput.Granted grant : output.grants) {
            assertThat(grant.offset()).isEqualTo(EXPECTED + grant.reference() * 64);
            move(grant);
        }
    }

    @Test
    void nonsenseInAWindowIsAFaultAndCountsAsClaimed() {
        long[] nonsense = {
            0, -1, GrantWindow.open(1, 2), GrantWindow.open(2, 0), GrantWindow.closed(1L << 33)
        };
        for (long word : nonsense) {
            RecordingOutput.Granted grant = grantedAnew();
            payload.scribble(A, grant.window(), word);
            cancel(70, output.lastZoidId);
            assertThat(output.take())
                    .contains("fault 1 BAD_WINDOW")
                    .last()
                    .asString()
                    .contains("requested");
            engine.clientGone(A, ErrorCode.EPROTO.negativeValue(), true);
            assertThat(output.take()).contains("s completion 70: EPROTO");
        }
    }

    private RecordingOutput.Granted grantedAnew() {
        engine.clientGone(A, -1, true);
        engine.clientAttached(A, 10 + A);
        postReceive(70, A, 5, 1000);
        send(A, 1, 5, 500);
        output.take();
        return output.lastGrant();
    }

    @Test
    void aClientThatKeepsChangingItsWindowIsFaultyAndHoldsNobodyUp() {
        RecordingOutput.Granted grant = grantedReceive();
        Runnable again =
                new Runnable() {
                    private int flips;

                    @Override
                    public void run() {
                        int claimed = flips++ & 1;
                        payload.scribble(
                                A, grant.window(), grant.claimWord() + ((long) claimed << 1));
                        payload.beforeSwap = this;
                    }
                };
        payload.scribble(A, grant.window(), GrantWindow.claimed(grant.claimWord()));
        payload.beforeSwap = again;
        engine.clientGone(A, ErrorCode.EPROTO.negativeValue(), false);
        payload.beforeSwap = () -> {};
        assertThat(output.take()).contains("fault 1 BAD_WINDOW");
        engine.clientProvedDead(A);
        said("s completion 70: EPROTO");
    }

    @Test
    void aClientMayClaimAllItsOffersWhileTheyAreTakenBack() {
        for (int i = 0; i < SessionArea.WINDOWS; i++) {
            send(A, i, 5, 10);
            postReceive(i, A, 5, 10);
        }
        long wait = test(A, 60_000);
        output.take();
        Iterator<RecordingOutput.Granted> unclaimed = List.copyOf(output.grants).iterator();
        payload.beforeSwap =
                new Runnable() {
                    @Override
                    public void run() {
                        if (unclaimed.hasNext()) {
                            assertThat(claim(unclaimed.next())).isTrue();
                            payload.beforeSwap = this;
                        }
                    }
                };
        disarm(A, wait);
        saidNothing();
        output.grants.forEach(this::done);
        assertThat(output.take())
                .hasSize(SessionArea.WINDOWS)
                .last()
                .isEqualTo("s completion 63: 10");
    }

    @Test
    void aClientThatCountsItsClaimsBackwardsIsFaulty() {
        RecordingOutput.Granted first = grantedReceive();
        postReceive(71, A, 5, 1000);
        long second = output.lastZoidId;
        send(A, 2, 5, 600);
        move(first);
        output.take();
        payload.scribble(A, first.window(), first.claimWord());
        cancel(71, second);
        said("fault 1 BAD_WINDOW", "s requested 71 for 5");
    }
}
