package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.port.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

/** Unexpected messages: order, bounded memory, and its fair division. */
@Timeout(30)
class UnexpectedTest extends EngineFixture {

    @Test
    void aMessageInTheMessageItselfIsAcceptedAtOnce() {
        unexpectedInline(A, 1, 5, 99);
        said("c1 completed 1 for 1: 8", "s unexpected from c1 tag 5: 8");
        assertThat(payload.read(output.arrived.getLast().offset())).isEqualTo(99);
        assertThat(count(EngineCounter.EAGER_MOVES)).isEqualTo(1);
    }

    @Test
    void acceptanceOfACountedMessageIsCountedAndNeverAnOperation() {
        unexpectedCounted(A, 1, 5, 99);
        said("c1 accepted 1", "s unexpected from c1 tag 5: 8");
        assertThat(payload.read(output.arrived.getLast().offset())).isEqualTo(99);
        assertThat(count(EngineCounter.EAGER_MOVES)).isEqualTo(1);
        assertThat(engine.pendingOperations()).isZero();
    }

    @Test
    void aCountedMessageThatIsNotTheNextIsAnswered() {
        unexpected(A, 1, 5, 500);
        output.take();
        unexpectedCounted(A, 2, 6, 99);
        said("c1 pending 2 for 0");
        assertThat(engine.pendingOperations()).isEqualTo(2);
    }

    @Test
    void aMessageInAnEagerSlotIsAcceptedAtOnce() {
        unexpectedEager(A, 1, 5, 100, 2, 98);
        said("c1 completed 1 for 1: 100", "s unexpected from c1 tag 5: 100");
        assertThat(payload.read(output.arrived.getLast().offset())).isEqualTo(98);
    }

    @Test
    void aLongMessageIsGrantedAndDeliveredWhenItIsWhole() {
        unexpected(A, 1, 5, MAX_UNEXPECTED);
        said("c1 grant 1 for 1: 1024");
        move(output.lastGrant());
        said("s unexpected from c1 tag 5: 1024");
    }

    @Test
    void aMessageOfNoBytesHasABlockThatCanBeFreed() {
        unexpectedEager(A, 1, 5, 0, 0, 98);
        said("c1 completed 1 for 1: 0", "s unexpected from c1 tag 5: 0");
        free(output.arrived.getLast().offset());
        assertThat(engine.liveUnexpectedBlocks()).isZero();
    }

    @Test
    void messagesAreDeliveredInTheOrderOfAcceptanceAlsoIfLaterOnesAreWholeFirst() {
        unexpected(A, 1, 5, 500);
        unexpected(A, 2, 6, 500);
        RecordingOutput.Granted first = output.grants.get(0);
        RecordingOutput.Granted second = output.grants.get(1);
        claim(first);
        claim(second);
        unexpectedInline(A, 3, 7, 99);
        output.take();
        done(second);
        saidNothing();
        done(first);
        said(
                "s unexpected from c1 tag 5: 500",
                "s unexpected from c1 tag 6: 500",
                "s unexpected from c1 tag 7: 8");
    }

    @Test
    void oneClientsSlowMoverDoesNotHoldUpAnother() {
        unexpected(A, 1, 5, 500);
        claim(output.lastGrant());
        unexpectedInline(B, 2, 6, 99);
        said("c1 grant 1 for 1: 500", "c2 completed 2 for 2: 8", "s unexpected from c2 tag 6: 8");
    }

    @Test
    void anUnexpectedMessageMeetsNoReceiveAndAnExpectedOneIsNotUnexpected() {
        postReceive(70, A, 5, 1000);
        unexpectedInline(A, 1, 5, 99);
        send(A, 2, 6, 10);
        said(
                "s registered 70 for 1",
                "c1 completed 1 for 2: 8",
                "s unexpected from c1 tag 5: 8",
                "c1 pending 2 for 3");
    }

    @Test
    void withoutMemoryMessagesArePendingAndAreAcceptedInOrderWhenItComesBack() {
        List<RecordingOutput.Arrived> full = fillRegion();
        unexpectedEager(A, 1, 1, 10, 0, 11);
        unexpectedInline(A, 2, 2, 12);
        unexpectedEager(A, 3, 3, 10, 1, 13);
        String[] taken = output.take().toArray(String[]::new);
        assertThat(taken).allMatch(line -> line.contains("pending"));
        assertThat(payload.copies).as("nothing moves without memory").isEmpty();
        free(full.getFirst().offset());
        assertThat(output.take())
                .as("the second must be moved by its client, which is away")
                .containsExactly("c1 completed 1 for 0: 10", "s unexpected from c1 tag 1: 10");
        test(A, 0);
        move(output.lastGrant());
        assertThat(output.take())
                .containsSubsequence(
                        "c1 grant 2 for 0: 8",
                        "s unexpected from c1 tag 2: 8",
                        "c1 completed 3 for 0: 10",
                        "s unexpected from c1 tag 3: 10");
        assertThat(count(EngineCounter.UNEXPECTED_DEFERRED)).isBetween(1L, 3L);
    }

    @Test
    void aPostMayWaitForMemory() {
        List<RecordingOutput.Arrived> full = fillRegion();
        long post = unexpected(B, 1, 1, 500, 5000);
        saidNothing();
        free(full.getFirst().offset());
        said("c2 grant 1 for " + post + ": 500");
        move(output.lastGrant());
    }

    @Test
    void aPostThatWaitsForMemoryInVainIsPendingAfterItsTime() {
        fillRegion();
        long post = unexpected(B, 1, 1, 500, 5000);
        nowNs += 5000 * MS;
        engine.tick(nowNs);
        said("c2 pending 1 for " + post);
    }

    @Test
    void smallMessagesShareAChunkAndTheChunkComesBackWithTheLastOfThem() {
        int each = MAX_UNEXPECTED / 64;
        for (int i = 0; i < each * CHUNKS / 2; i++) {
            unexpectedInline(A, i, 0, i);
        }
        assertThat(output.arrived).hasSize(each * CHUNKS / 2);
        unexpectedInline(A, 999, 0, 1);
        assertThat(output.take().getLast()).contains("pending 999");
        List<RecordingOutput.Arrived> arrived = List.copyOf(output.arrived);
        for (int i = 0; i < each - 1; i++) {
            free(arrived.get(i).offset());
        }
        test(A, 0);
        assertThat(output.take().getLast()).endsWith(": 0");
        free(arrived.get(each - 1).offset());
        test(A, 0);
        assertThat(output.lastGrant().reference()).isEqualTo(999);
    }

    /** Of what is free or its own; the first message of any other finds room without a free. */
    @Test
    void aClientThatFloodsHoldsHalfAndKeepsNobodyOut() {
        flood(A);
        assertThat(engine.state().client(A).unexpected.heldChunks).isEqualTo(CHUNKS / 2);
        assertThat(output.take()).filteredOn(line -> line.contains("pending")).hasSize(2);
        unexpected(B, 100, 0, MAX_UNEXPECTED);
        assertThat(output.lastGrant().client()).isEqualTo(B);
        move(output.lastGrant());
        unexpected(B, 101, 0, MAX_UNEXPECTED);
        unexpected(C, 200, 0, MAX_UNEXPECTED);
        assertThat(output.lastGrant().client()).isEqualTo(C);
        move(output.lastGrant());
        assertThat(engine.unexpected().region().freeChunks()).isZero();
    }

    private void flood(int client) {
        for (int i = 0; i < CHUNKS; i++) {
            unexpected(client, i, 0, MAX_UNEXPECTED);
            RecordingOutput.Granted last = output.grants.isEmpty() ? null : output.lastGrant();
            if (last != null && last.reference() == i) {
                move(last);
            }
        }
    }

    @Test
    void whoHoldsNothingIsServedBeforeWhoFloods() {
        fillChunks(CHUNKS - 1);
        test(A, 60_000);
        flood(A);
        test(B, 60_000);
        unexpected(B, 100, 0, MAX_UNEXPECTED);
        output.take();
        free(output.arrived.getFirst().offset());
        assertThat(output.lastGrant().client()).isEqualTo(B);
        move(output.lastGrant());
    }

    @Test
    void thoseWhoWaitAreServedInTurnOneMessageATime() {
        List<RecordingOutput.Arrived> full = fillRegion();
        test(A, 60_000);
        test(B, 60_000);
        for (int i = 0; i < 2; i++) {
            unexpected(A, 10 + i, 0, MAX_UNEXPECTED);
            unexpected(B, 20 + i, 0, MAX_UNEXPECTED);
        }
        output.grants.clear();
        full.forEach(each -> free(each.offset()));
        List<RecordingOutput.Granted> first = List.copyOf(output.grants);
        first.forEach(this::move);
        first.forEach(each -> free(each.offset()));
        assertThat(output.grants)
                .extracting(RecordingOutput.Granted::reference)
                .containsExactly(10L, 20L, 11L, 21L);
        output.grants.subList(2, 4).forEach(this::move);
    }

    @Test
    void anOfferThatWasTakenBackIsMadeAgainInTheMemoryOfItsClient() {
        fillChunks(CHUNKS - 1);
        long wait = test(A, 60_000);
        unexpectedInline(A, 9, 0, 99);
        unexpected(A, 10, 0, 100);
        unexpected(A, 11, 0, MAX_UNEXPECTED);
        assertThat(output.lastGrant().reference()).isEqualTo(10);
        disarm(A, wait);
        test(A, 60_000);
        assertThat(output.grants).extracting(RecordingOutput.Granted::reference).endsWith(10L, 10L);
        output.take();
    }

    @Test
    void whoGivesMemoryBackServesNobodyInTheCall() {
        List<RecordingOutput.Arrived> full = fillRegion();
        unexpectedEager(A, 1, 1, 10, 0, 11);
        output.take();
        engine.unexpectedFree(full.getFirst().offset());
        saidNothing();
        assertThat(payload.copies).isEmpty();
        assertThat(engine.nanosToNextDeadline(nowNs)).as("a tick is due").isZero();
        engine.tick(nowNs);
        said("c1 completed 1 for 0: 10", "s unexpected from c1 tag 1: 10");
        assertThat(engine.nanosToNextDeadline(nowNs)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void anAbsentClientHoldsNoMemoryItDoesNotUse() {
        List<RecordingOutput.Arrived> full = fillRegion();
        unexpected(B, 1, 0, 500);
        long wait = test(B, 60_000);
        free(full.getFirst().offset());
        assertThat(output.lastGrant().client()).isEqualTo(B);
        test(C, 60_000);
        unexpected(C, 2, 0, 500);
        output.take();
        disarm(B, wait);
        assertThat(output.lastGrant().client()).as("it goes to who waits").isEqualTo(C);
        move(output.lastGrant());
    }

    @Test
    void aCancelledMessageIsNeverDelivered() {
        List<RecordingOutput.Arrived> full = fillRegion();
        unexpected(A, 1, 1, 500);
        withdraw(A, output.lastOperationId, 1);
        unexpected(A, 2, 2, 500);
        free(full.getFirst().offset());
        test(A, 0);
        assertThat(output.lastGrant().reference()).isEqualTo(2);
        move(output.lastGrant());
        assertThat(output.arrived.getLast().tag()).isEqualTo(2);
    }

    @Test
    void aGrantThatIsCancelledBeforeItIsClaimedGivesItsMemoryBack() {
        unexpected(A, 1, 1, 500);
        RecordingOutput.Granted grant = output.lastGrant();
        withdraw(A, grant.operationId(), 1);
        assertThat(claim(grant)).isFalse();
        assertThat(engine.liveUnexpectedBlocks()).isZero();
    }

    @Test
    void aMessageThatBreaksOffIsDroppedAndThoseBehindItGoOn() {
        unexpected(A, 1, 1, 500);
        unexpected(A, 2, 2, 500);
        claim(output.grants.get(0));
        claim(output.grants.get(1));
        output.take();
        done(output.grants.get(1));
        done(A, output.grants.get(0).grantId(), 0, ErrorCode.EFAULT.negativeValue());
        said("s unexpected from c1 tag 2: 500");
        assertThat(engine.liveUnexpectedBlocks()).isEqualTo(1);
    }

    @Test
    void memoryThatIsNotLentCannotBeGivenBack() {
        unexpectedInline(A, 1, 1, 9);
        long offset = output.arrived.getLast().offset();
        output.take();
        for (long wrong :
                new long[] {
                    offset + 64, offset + 1, offset - 64, 0, -1, Long.MIN_VALUE, Long.MAX_VALUE
                }) {
            free(wrong);
            said("fault 0 BAD_FREE");
        }
        free(offset);
        saidNothing();
        free(offset);
        said("fault 0 BAD_FREE");
        unexpected(A, 2, 1, 500);
        free(output.lastGrant().offset());
        said("c1 grant 2 for 2: 500", "fault 0 BAD_FREE");
        assertThat(Fault.BAD_FREE.endsSession()).isFalse();
        move(output.lastGrant());
    }

    @Test
    void withoutAServerMessagesWaitAndGoToTheNextOne() {
        engine.serverGone(true);
        unexpectedEager(A, 1, 1, 10, 0, 99);
        unexpected(A, 2, 2, 500);
        said("c1 pending 1 for 1", "c1 pending 2 for 2");
        engine.serverAttached(2);
        assertThat(output.take())
                .contains("c1 completed 1 for 0: 10", "s unexpected from c1 tag 1: 10");
        test(A, 0);
        move(output.lastGrant());
        assertThat(output.arrived.getLast().tag()).isEqualTo(2);
    }
}
