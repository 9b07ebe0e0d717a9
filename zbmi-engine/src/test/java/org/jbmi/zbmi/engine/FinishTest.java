package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of unexpected messages and of matches on their way when a peer leaves. */
@Timeout(30)
class FinishTest extends EngineFixture {
    private static final int EHOSTDOWN = ErrorCode.EHOSTDOWN.negativeValue();

    private void nextServer() {
        engine.serverGone(true);
        engine.serverAttached(2);
        output.take();
    }

    @Test
    void aMessageInTransferWhenTheServerSaysGoodbyeIsDropped() {
        unexpected(A, 1, 1, 500);
        claim(output.lastGrant());
        unexpectedInline(A, 2, 2, 9);
        engine.finish(77);
        nextServer();
        assertThat(engine.liveUnexpectedBlocks()).as("the one that moves").isEqualTo(1);
        assertThat(count(EngineCounter.UNEXPECTED_DROPPED)).isEqualTo(1);
        done(output.lastGrant());
        saidNothing();
        assertThat(engine.liveUnexpectedBlocks()).isZero();
        assertThat(count(EngineCounter.UNEXPECTED_DROPPED)).isEqualTo(2);
    }

    @Test
    void aMessageBehindOneInTransferIsDroppedWhenTheServerDies() {
        unexpected(A, 1, 1, 500);
        claim(output.lastGrant());
        unexpectedInline(A, 2, 2, 9);
        engine.serverGone(true);
        assertThat(count(EngineCounter.UNEXPECTED_DROPPED)).isEqualTo(1);
        nextServer();
        done(output.lastGrant());
        saidNothing();
        assertThat(engine.liveUnexpectedBlocks()).isZero();
    }

    @Test
    void aMessageThatIsOnlyOfferedEndsWithTheGoodbye() {
        unexpected(A, 1, 1, 500);
        RecordingOutput.Granted first = output.lastGrant();
        output.take();
        engine.finish(77);
        said("c1 failed 1 for 0: EPIPE", "s finished for 77: 0");
        assertThat(claim(first)).isFalse();
        assertThat(engine.liveUnexpectedBlocks()).isZero();
        nextServer();
        test(A, 0);
        said("c1 tested 2: 0");
    }

    @Test
    void whatIsOnlyOfferedFailsWithTheServer() {
        unexpected(A, 1, 1, 500);
        RecordingOutput.Granted offered = output.lastGrant();
        output.take();
        engine.serverGone(true);
        said("c1 failed 1 for 0: EHOSTDOWN");
        assertThat(claim(offered)).isFalse();
        assertThat(engine.liveUnexpectedBlocks()).isZero();
    }

    @Test
    void theMemoryOfferedToAClientThatIsGoneIsFreeAtOnce() {
        fillChunks(CHUNKS - 1);
        unexpected(A, 1, 0, MAX_UNEXPECTED);
        test(B, 60_000);
        unexpected(B, 9, 0, MAX_UNEXPECTED);
        output.take();
        engine.clientGone(A, EHOSTDOWN, false);
        said("s gone c1 11: EHOSTDOWN", "c2 grant 9 for 0: 1024");
        move(output.lastGrant());
        engine.clientProvedDead(A);
    }

    @Test
    void aClientThatWaitsForMemoryLeavesTheRing() {
        fillRegion();
        unexpectedEager(B, 1, 1, 10, 0, 9);
        assertThat(engine.unexpected().waiting()).isEqualTo(1);
        output.take();
        engine.clientGone(B, EHOSTDOWN, false);
        said("s gone c2 12: EHOSTDOWN");
        assertThat(engine.unexpected().waiting()).isZero();
    }

    @Test
    void pairsThatWaitForTheirClientAreLetGoWithTheServer() {
        send(A, 1, 1, 10);
        postReceive(70, A, 1, 10);
        receive(B, 2, 2, 10);
        postSend(71, B, 2, 10);
        postReceive(72, C, 3, 10);
        output.take();
        engine.finish(77);
        said("c1 failed 1 for 0: EPIPE", "c2 failed 2 for 0: EPIPE", "s finished for 77: 0");
        assertThat(engine.pendingOperations()).isZero();
        nextServer();
        test(A, 0);
        test(B, 0);
        test(C, 0);
        said("c1 tested 6: 0", "c2 tested 7: 0", "c3 tested 8: 0");
    }

    @Test
    void theLastOfTheClientsIsServedLikeTheFirst() {
        unexpected(C, 1, 1, 500);
        claim(output.lastGrant());
        postReceive(70, C, 5, 10);
        output.take();
        engine.finish(77);
        said("c3 failed 1 for 0: EPIPE", "s finished for 77: 0");
        assertThat(engine.state().client(C).tags.inUse.first()).isNull();
        nextServer();
        done(output.lastGrant());
        saidNothing();
        send(C, 2, 2, 10);
        unexpectedInline(C, 3, 3, 9);
        output.take();
        engine.serverGone(true);
        said("c3 failed 2 for 0: EHOSTDOWN");
        unexpectedEager(C, 4, 4, 10, 0, 9);
        output.take();
        engine.serverAttached(3);
        assertThat(output.take())
                .endsWith("c3 completed 4 for 0: 10", "s unexpected from c3 tag 4: 10");
    }
}
