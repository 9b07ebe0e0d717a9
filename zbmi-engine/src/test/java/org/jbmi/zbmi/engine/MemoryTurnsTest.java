package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.engine.state.Operation;
import org.jbmi.zbmi.protocol.SessionArea;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** Clients that wait for memory of unexpected messages take turns, and keep their places. */
@Timeout(60)
class MemoryTurnsTest extends EngineFixture {
    @Test
    void whoWaitsForMemoryIsNotPassedByAClientWhoseTransferEnds() {
        List<RecordingOutput.Arrived> full = fillRegion();
        postReceive(1, B, 5, 10);
        send(B, 1, 5, 10);
        test(A, 60_000);
        test(B, 60_000);
        RecordingOutput.Granted ofPair = output.lastGrant();
        unexpected(A, 10, 0, MAX_UNEXPECTED);
        unexpected(B, 20, 0, MAX_UNEXPECTED);
        engine.unexpectedFree(full.getFirst().offset());
        move(ofPair);
        assertThat(output.lastGrant().reference()).isEqualTo(10);
        output.take();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoWaitsForMemoryIsNotPassedByAClientWhoseTransferFails(boolean isInCall) {
        RecordingOutput.Granted grant = holdTheLastChunkWhileAnotherWaits(isInCall);
        claim(grant);
        done(A, grant.grantId(), 0, ErrorCode.EFAULT.negativeValue());
        assertThat(output.lastGrant().reference()).isEqualTo(20);
        output.take();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoWaitsForMemoryIsNotPassedByAClientThatCancels(boolean isInCall) {
        RecordingOutput.Granted grant = holdTheLastChunkWhileAnotherWaits(isInCall);
        withdraw(A, grant.operationId(), grant.reference());
        assertThat(output.lastGrant().reference()).isEqualTo(20);
        output.take();
    }

    /** Behind the message that has the memory is a short one, whose bytes are here. */
    private RecordingOutput.Granted holdTheLastChunkWhileAnotherWaits(boolean isInCall) {
        fillChunks(CHUNKS - 1);
        if (isInCall) {
            test(A, 60_000);
        }
        test(B, 60_000);
        unexpected(A, 10, 0, MAX_UNEXPECTED);
        RecordingOutput.Granted grant = output.lastGrant();
        unexpectedEager(A, 11, 0, EAGER, 0, 99);
        unexpected(B, 20, 0, MAX_UNEXPECTED);
        assertThat(output.lastGrant()).isEqualTo(grant);
        return grant;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoWaitsForMemoryKeepsItsPlaceBetweenTwoCalls(boolean postsMore) {
        List<RecordingOutput.Arrived> full = fillRegion();
        long wait = test(B, 60_000);
        unexpected(B, 20, 0, MAX_UNEXPECTED);
        test(A, 60_000);
        unexpected(A, 10, 0, MAX_UNEXPECTED);
        disarm(B, wait);
        if (postsMore) {
            unexpectedEager(B, 21, 0, EAGER, 0, 99);
        }
        test(B, 60_000);
        free(full.getFirst().offset());
        assertThat(output.lastGrant().reference()).isEqualTo(20);
        output.take();
    }

    @Test
    void whoWaitsForMemoryKeepsItsPlaceWhenATransferEndsBetweenTwoCalls() {
        fillChunks(CHUNKS - 1);
        long wait = test(B, 60_000);
        unexpected(B, 19, 0, MAX_UNEXPECTED);
        RecordingOutput.Granted moving = output.lastGrant();
        claim(moving);
        unexpected(B, 20, 0, MAX_UNEXPECTED);
        waitForMemory(A, 10);
        disarm(B, wait);
        done(moving);
        assertIsServedFirst(20, B, List.of(output.arrived.getLast()));
    }

    @Test
    void whoWaitsForMemoryKeepsItsPlaceWhenALaterMessageExpiresBetweenTwoCalls() {
        List<RecordingOutput.Arrived> full = fillRegion();
        long wait = test(B, 60_000);
        unexpected(B, 20, 0, MAX_UNEXPECTED);
        unexpectedEager(B, 21, 0, EAGER, 0, 99);
        Operation later = engine.state().client(B).unexpected.pending.last();
        expires(B, later.id(), 21, 1);
        waitForMemory(A, 10);
        disarm(B, wait);
        nowNs += MS;
        engine.tick(nowNs);
        assertThat(output.take()).contains("c2 failed 21 for 0: ETIMEDOUT");
        assertIsServedFirst(20, B, full);
    }

    @Test
    void whoWaitsForMemoryKeepsItsPlaceWhenALaterMessageIsCancelledBetweenTwoCalls() {
        List<RecordingOutput.Arrived> full = fillRegion();
        long wait = test(B, 60_000);
        unexpected(B, 20, 0, MAX_UNEXPECTED);
        unexpected(B, 21, 0, MAX_UNEXPECTED);
        Operation later = engine.state().client(B).unexpected.pending.last();
        waitForMemory(A, 10);
        disarm(B, wait);
        withdraw(B, later.id(), 21);
        assertIsServedFirst(20, B, full);
    }

    private void waitForMemory(int client, long reference) {
        test(client, 60_000);
        unexpected(client, reference, 0, MAX_UNEXPECTED);
    }

    private void assertIsServedFirst(
            long reference, int client, List<RecordingOutput.Arrived> full) {
        test(client, 60_000);
        free(full.getFirst().offset());
        assertThat(output.lastGrant().reference()).isEqualTo(reference);
        output.take();
    }

    @Test
    void aCancelGivesMemoryFirstToThoseWhoWaitForItAlsoIfTheNextWaitsForAGrant() {
        fillChunks(CHUNKS - 1);
        test(A, 60_000);
        test(B, 60_000);
        for (int tag = 1; tag < SessionArea.WINDOWS; tag++) {
            send(A, 100 + tag, tag, 10);
            postReceive(100 + tag, A, tag, 10);
        }
        unexpected(A, 10, 0, MAX_UNEXPECTED);
        RecordingOutput.Granted grant = output.lastGrant();
        unexpected(A, 11, 0, MAX_UNEXPECTED);
        unexpected(B, 20, 0, MAX_UNEXPECTED);
        assertThat(output.lastGrant()).isEqualTo(grant);
        withdraw(A, grant.operationId(), grant.reference());
        assertThat(output.lastGrant().reference()).isEqualTo(20);
        output.take();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPostTakesNoFreedMemoryBeforeThoseWhoWaitForIt(boolean isCounted) {
        List<RecordingOutput.Arrived> full = fillRegion();
        test(B, 60_000);
        unexpected(B, 20, 0, MAX_UNEXPECTED);
        engine.unexpectedFree(full.getFirst().offset());
        if (isCounted) {
            unexpectedCounted(A, 10, 0, 99);
        } else {
            unexpectedEager(A, 10, 0, EAGER, 0, 99);
        }
        assertThat(output.lastGrant().reference()).isEqualTo(20);
        assertThat(output.take().getLast()).startsWith("c1 pending 10 for ");
    }
}
