package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.engine.port.EagerPlaces;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.protocol.SessionArea;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;

/** Messages of the server that reach their receives through the client's data slots. */
@Timeout(20)
class DataSlotsTest extends EngineFixture {
    private static final int TAG = 7;
    private static final int SLOTS = SessionArea.DATA_SLOTS;

    private void note(long reference) {
        receive(A, 0, reference, TAG, 1000, 0, EAGER);
    }

    /** The client says how many slots it has given back. */
    private void back(long count) {
        payload.dataSlotsBack.put(A, count);
    }

    private void fillAll() {
        for (int i = 0; i < SLOTS; i++) {
            note(i);
            long post = postSend(70 + i, A, TAG, EAGER);
            said(
                    "c1 data " + i + " in " + i + ": " + EAGER,
                    "s done " + (70 + i) + " for " + post + ": " + EAGER);
        }
    }

    @Test
    void theSlotsAreFilledInTurn() {
        fillAll();
        List<String> copies = new ArrayList<>();
        for (int i = 0; i < SLOTS; i++) {
            copies.add("data slot " + i + ": " + EAGER);
        }
        assertThat(payload.copies).isEqualTo(copies);
        assertThat(engine.pendingOperations()).isZero();
        assertThat(count(EngineCounter.INLINE_MOVES)).isEqualTo(SLOTS);
        assertThat(count(EngineCounter.MESSAGES_RECEIVED)).isEqualTo(SLOTS);
        assertThat(count(EngineCounter.BYTES_RECEIVED)).isEqualTo((long) SLOTS * EAGER);
    }

    @Test
    void oneForWhichNoSlotIsFreeIsGranted() {
        fillAll();
        payload.copies.clear();
        note(SLOTS);
        long post = postSend(90, A, TAG, EAGER);
        said("s registered 90 for " + post);
        test(A, 0);
        assertThat(output.lastGrant().bytes()).isEqualTo(EAGER);
        output.take();
        assertThat(payload.copies).isEmpty();
    }

    @Test
    void aSlotThatTheClientGaveBackIsFilledAgain() {
        fillAll();
        back(2);
        note(20);
        note(21);
        note(22);
        assertThat(atOnce(EAGER)).isEqualTo(Engine.SENT);
        assertThat(atOnce(EAGER)).isEqualTo(Engine.SENT);
        assertThat(atOnce(EAGER)).as("two were given back").isEqualTo(Engine.NOT_SENT);
        said("c1 data 20 in 0: 100", "c1 data 21 in 1: 100");
    }

    private long atOnce(long bytes) {
        return engine.sendAtOnce(A, 10 + A, TAG, EXPECTED + 4480, bytes, nowNs);
    }

    @Test
    void aShortOneNeedsNoSlot() {
        fillAll();
        note(20);
        assertThat(atOnce(8)).isEqualTo(Engine.SENT);
        said("c1 data 20: 8");
    }

    @Test
    void oneThatIsLongerThanASlotIsGranted() {
        receive(A, 0, 1, TAG, 1000, 0, Integer.MAX_VALUE);
        long post = postSend(70, A, TAG, EAGER + 1);
        said("s registered 70 for " + post);
    }

    @Test
    void aFullLaneFillsNoSlot() {
        output.hasRoom = false;
        note(1);
        note(2);
        assertThat(atOnce(EAGER)).isEqualTo(Engine.NOT_SENT);
        assertThat(payload.copies).isEmpty();
        output.hasRoom = true;
        assertThat(atOnce(EAGER)).isEqualTo(Engine.SENT);
        said("c1 data 1 in 0: 100");
    }

    @Test
    void oneThatComesBackIsCopiedIntoAnotherSlot() {
        note(1);
        note(2);
        payload.cancels.put(A, 1L);
        long post = postSend(70, A, TAG, EAGER);
        said("c1 data 1 in 0: 100", "s registered 70 for " + post);
        cancelled(A, 1, 1);
        said("c1 data 2 in 1: 100", "s completion 70: 100");
        assertThat(payload.copies).containsExactly("data slot 0: 100", "data slot 1: 100");
    }

    @Test
    void behindAnUnclaimedOfferThereIsAnOffer() {
        test(A, 1000);
        receive(A, 0, 1, TAG, 1000, 0, EAGER);
        note(2);
        postSend(70, A, TAG, 1000);
        output.take();
        postSend(71, A, TAG, EAGER);
        assertThat(output.lastGrant().bytes()).isEqualTo(EAGER);
        assertThat(payload.copies).isEmpty();
        output.take();
    }

    @Test
    void aClientThatGivesBackMoreThanItHadIsAtFault() {
        fillAll();
        back(SLOTS + 1);
        note(20);
        assertThat(atOnce(EAGER)).isEqualTo(Engine.NOT_SENT);
        said("fault " + A + " BAD_DATA_SLOTS");
    }

    @Test
    void aCountIsCheckedForAPostToo() {
        fillAll();
        back(SLOTS + 1);
        note(20);
        long post = postSend(90, A, TAG, EAGER);
        said("fault " + A + " BAD_DATA_SLOTS", "s registered 90 for " + post);
    }

    @Test
    void oneThatWaitsGoesIntoASlotThatTheClientGaveBack() {
        fillAll();
        note(20);
        postSend(90, A, TAG, EAGER);
        output.take();
        back(1);
        long wait = test(A, 0);
        said("c1 data 20 in 0: 100", "s completion 90: 100", "c1 tested " + wait + ": 1");
    }

    @Test
    void aClientThatTakesBackWhatItGaveBackIsAtFault() {
        fillAll();
        back(SLOTS);
        fillAll();
        back(SLOTS - 1);
        note(20);
        assertThat(atOnce(EAGER)).isEqualTo(Engine.NOT_SENT);
        said("fault " + A + " BAD_DATA_SLOTS");
    }

    @Test
    void theNextClientBeginsWithTheFirstSlot() {
        note(1);
        assertThat(atOnce(EAGER)).isEqualTo(Engine.SENT);
        engine.clientGone(A, -1, true);
        engine.clientAttached(A, 10 + A);
        output.take();
        note(1);
        assertThat(atOnce(EAGER)).isEqualTo(Engine.SENT);
        said("c1 data 1 in 0: 100");
    }

    @Test
    void withoutEagerMessagesThereAreNoDataSlots() {
        EngineLimits none = limits(0, new EagerPlaces(1 << 28, 1 << 10, 0), 0);
        engine = engine(none);
        everybodyAttaches();
        note(1);
        long post = postSend(70, A, TAG, EAGER);
        said("s registered 70 for " + post);
    }
}
