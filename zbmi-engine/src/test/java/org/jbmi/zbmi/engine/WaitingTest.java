package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.port.OperationVisitor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;

/** Tests, posts that wait, and time. */
@Timeout(30)
class WaitingTest extends EngineFixture {

    @Test
    void aTestWithoutTimeIsAnsweredAtOnce() {
        long test = test(A, 0);
        said("c1 tested " + test + ": 0");
        assertThat(engine.nanosToNextDeadline(nowNs)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aTestIsAnsweredWhenItsTimeHasPassedAndNotBefore() {
        long test = test(A, 100);
        assertThat(engine.nanosToNextDeadline(nowNs)).isEqualTo(100 * MS);
        nowNs += 100 * MS - 1;
        engine.tick(nowNs);
        saidNothing();
        nowNs += 1;
        engine.tick(nowNs);
        said("c1 tested " + test + ": 0");
        engine.tick(nowNs + 1);
        saidNothing();
    }

    @Test
    void oneTestServesAnyNumberOfGrants() {
        send(A, 1, 5, 10);
        send(A, 2, 6, 10);
        long test = test(A, 100);
        output.take();
        postReceive(70, A, 5, 10);
        move(output.lastGrant());
        postReceive(71, A, 6, 10);
        move(output.lastGrant());
        nowNs += 100 * MS;
        engine.tick(nowNs);
        assertThat(output.take()).last().isEqualTo("c1 tested " + test + ": 2");
        assertThat(count(EngineCounter.CALLS_TEST)).isEqualTo(1);
    }

    @Test
    void aNewTestTakesThePlaceOfAnOlderOne() {
        long first = test(A, 100);
        long second = test(A, 1000);
        said("c1 tested " + first + ": 0");
        disarm(A, first);
        nowNs += 100 * MS;
        engine.tick(nowNs);
        saidNothing();
        nowNs += 900 * MS;
        engine.tick(nowNs);
        said("c1 tested " + second + ": 0");
    }

    @Test
    void nothingIsGrantedAfterTheWaitIsOver() {
        send(A, 1, 5, 10);
        test(A, 100);
        nowNs += 100 * MS;
        engine.tick(nowNs);
        output.take();
        postReceive(70, A, 5, 10);
        said("s registered 70 for 3");
    }

    @Test
    void whatWasOfferedAndNotClaimedIsTakenBackWhenTheWaitIsOver() {
        send(A, 1, 5, 10);
        test(A, 100);
        postReceive(70, A, 5, 10);
        RecordingOutput.Granted first = output.lastGrant();
        nowNs += 100 * MS;
        engine.tick(nowNs);
        assertThat(count(EngineCounter.GRANTS_TAKEN_BACK)).isEqualTo(1);
        assertThat(claim(first)).as("a claim that comes too late").isFalse();
        output.take();
        long test = test(A, 0);
        said("c1 grant 1 for 0: 10", "c1 tested " + test + ": 1");
        move(output.lastGrant());
        said("s completion 70: 10");
    }

    @Test
    void aDisarmedTestIsNotAnswered() {
        long test = test(A, 100);
        disarm(A, test);
        nowNs += 100 * MS;
        engine.tick(nowNs);
        saidNothing();
    }

    @Test
    void aPostThatMayWaitIsGrantedWhenItsMatchComes() {
        long post = send(A, 1, 5, 10, 2000);
        saidNothing();
        nowNs += 500 * MS;
        engine.tick(nowNs);
        long server = postReceive(70, A, 5, 10);
        said("c1 grant 1 for " + post + ": 10");
        move(output.lastGrant());
        said("s done 70 for " + server + ": 10");
    }

    @Test
    void aPostThatWaitedInVainIsPendingAndCanStillMatch() {
        long post = receive(A, 1, 5, 10, 2000);
        nowNs += 2000 * MS;
        engine.tick(nowNs);
        said("c1 pending 1 for " + post);
        postSend(70, A, 5, 10);
        test(A, 0);
        assertThat(output.take()).contains("c1 grant 1 for 0: 10");
        move(output.lastGrant());
    }

    @Test
    void aPostThatWaitsIsACallInWhichOthersAreServedToo() {
        send(A, 1, 5, 10);
        postReceive(70, A, 5, 10);
        output.take();
        send(A, 2, 6, 10, 2000);
        said("c1 grant 1 for 0: 10");
        move(output.lastGrant());
    }

    @Test
    void aPostWithoutTimeServesOnlyItself() {
        send(A, 1, 5, 10);
        postReceive(70, A, 5, 10);
        postReceive(71, A, 6, 10);
        output.take();
        long post = send(A, 2, 6, 10);
        said("c1 grant 2 for " + post + ": 10");
        move(output.lastGrant());
    }

    @Test
    void theLongestTimesDoNotOverflow() {
        nowNs = Long.MAX_VALUE - 5;
        test(A, Integer.MAX_VALUE);
        send(B, 1, 5, 10, Integer.MAX_VALUE);
        engine.tick(nowNs);
        saidNothing();
        assertThat(engine.nanosToNextDeadline(nowNs)).isEqualTo(Integer.MAX_VALUE * MS);
        nowNs += Integer.MAX_VALUE * MS;
        engine.tick(nowNs);
        assertThat(output.take()).hasSize(2);
    }

    @Test
    void onlyTheOneThatIsMeantIsWoken() {
        send(A, 1, 5, 10);
        send(B, 2, 5, 10);
        test(A, 60_000);
        test(B, 60_000);
        test(C, 60_000);
        output.take();
        postReceive(70, B, 5, 10);
        said("c2 grant 2 for 0: 10");
        move(output.lastGrant());
    }

    @Test
    void everyOperationSaysWhyItWaits() {
        send(A, 1, 1, 10);
        send(A, 2, 2, 10);
        postReceive(70, A, 2, 10);
        postReceive(71, B, 3, 10);
        send(B, 3, 3, 10);
        fillRegion();
        unexpectedEager(C, 4, 4, 10, 0, 9);
        unexpected(C, 5, 5, 10);
        List<String> reasons = new ArrayList<>();
        OperationVisitor visitor =
                (id, client, isOfServer, isSend, isUnexpected, tag, bytes, ageNs, reason) ->
                        reasons.add((isOfServer ? "s" : "c") + client + " " + tag + " " + reason);
        nowNs += 7;
        engine.showOperations(0, 1000, 1000, visitor, nowNs);
        assertThat(reasons)
                .containsExactlyInAnyOrder(
                        "c1 1 NO_RECEIVE",
                        "c1 2 CLIENT_NOT_IN_CALL",
                        "s1 2 CLIENT_NOT_IN_CALL",
                        "s2 3 MOVING",
                        "c2 3 MOVING",
                        "c3 4 NO_MEMORY",
                        "c3 5 BEHIND_OLDER");
        engine.serverGone(true);
        send(A, 9, 9, 10);
        reasons.clear();
        engine.showOperations(0, 1000, 1000, visitor, nowNs);
        assertThat(reasons).contains("c1 9 NO_SERVER");
    }

    @Test
    void whatWaitsForAClientThatIsGoneSaysSo() {
        test(A, 60_000);
        send(A, 1, 1, 10);
        postReceive(70, A, 1, 10);
        claim(output.lastGrant());
        postSend(71, A, 2, 10);
        receive(B, 2, 2, 10);
        engine.clientGone(A, -99, false);
        List<String> reasons = new ArrayList<>();
        show(0, 1000, 1000, reasons);
        assertThat(reasons).containsExactlyInAnyOrder("1 CLIENT_GONE", "2 NO_SEND");
    }

    @Test
    void operationsAreShownPageByPageInBoundedSteps() {
        for (int i = 0; i < 100; i++) {
            send(A, i + 1, i, 10);
        }
        List<String> all = new ArrayList<>();
        int pages = 0;
        for (int slot = 0; slot >= 0; pages++) {
            int before = all.size();
            slot = show(slot, 30, 7, all);
            assertThat(all.size() - before).isLessThanOrEqualTo(7);
        }
        assertThat(all).doesNotHaveDuplicates().hasSize(100);
        assertThat(pages).isLessThan(40);
        engine.clientGone(A, -99, true);
        all.clear();
        assertThat(show(0, 60, 60, all)).isEqualTo(60);
        assertThat(show(Integer.MAX_VALUE, 100, 60, all)).isEqualTo(-1);
        assertThat(all).isEmpty();
    }

    private int show(int firstSlot, int mostSlots, int mostOperations, List<String> to) {
        return engine.showOperations(
                firstSlot,
                mostSlots,
                mostOperations,
                (id, client, isOfServer, isSend, isUnexpected, tag, bytes, ageNs, reason) ->
                        to.add(tag + " " + reason),
                nowNs);
    }
}
