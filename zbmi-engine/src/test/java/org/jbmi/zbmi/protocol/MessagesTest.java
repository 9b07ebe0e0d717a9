package org.jbmi.zbmi.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Random;

@Timeout(30)
class MessagesTest {
    private final Message m = new Message();

    @Test
    void aMessageFitsIntoASlotBesideItsStamp() {
        assertThat(Message.MAX_BYTES + Long.BYTES).isLessThanOrEqualTo(SessionArea.SLOT_BYTES);
    }

    @Test
    void halvesOfAWordKeepTheirSigns() {
        m.start(1).put(-5, Integer.MIN_VALUE).put(7, -1);
        assertThat(m.low(0)).isEqualTo(-5);
        assertThat(m.high(0)).isEqualTo(Integer.MIN_VALUE);
        assertThat(m.low(1)).isEqualTo(7);
        assertThat(m.high(1)).isEqualTo(-1);
    }

    @Test
    void theHeaderComesBackAndNonsenseIsNone() {
        m.start(0x307).put(1).put(2);
        Message copy = new Message();
        assertThat(copy.load(m.header())).isEqualTo(2);
        assertThat(copy.kind()).isEqualTo(0x307);
        assertThat(copy.load(0)).isEqualTo(-1);
        assertThat(copy.load(1 | 15L << 16)).isEqualTo(-1);
        assertThat(copy.load(1 | 1L << 40)).isEqualTo(-1);
        assertThat(copy.load(-1)).isEqualTo(-1);
    }

    @Test
    void requestsOfAClientKeepTheirFields() {
        ClientRequests.send(m, 1, 2, -3, 4, 5, 6, 7);
        assertThat(ClientRequests.isWellFormed(m)).isTrue();
        assertThat(ClientRequests.correlation(m)).isEqualTo(1);
        assertThat(ClientRequests.reference(m)).isEqualTo(2);
        assertThat(ClientRequests.tag(m)).isEqualTo(-3);
        assertThat(ClientRequests.bytes(m)).isEqualTo(4);
        assertThat(ClientRequests.timeoutMs(m)).isEqualTo(5);
        assertThat(ClientRequests.eagerSlot(m)).isEqualTo(6);
        assertThat(ClientRequests.eagerSequence(m)).isEqualTo(7);
        ClientRequests.receive(m, 1, 2, -3, 4, 5);
        assertThat(ClientRequests.isWellFormed(m)).isTrue();
        assertThat(ClientRequests.eagerSlot(m)).isEqualTo(ClientRequests.NOT_EAGER);
        ClientRequests.sendUnexpected(m, 1, 2, -3, 255, 4, 5, ClientRequests.NOT_EAGER, 0);
        assertThat(ClientRequests.isWellFormed(m)).isTrue();
        assertThat(ClientRequests.messageClass(m)).isEqualTo(255);
        assertThat(ClientRequests.isWellFormed(ClientRequests.done(m, 8, 9, -1))).isTrue();
        assertThat(ClientRequests.doneStatus(m)).isEqualTo(-1);
        assertThat(ClientRequests.isWellFormed(ClientRequests.withdraw(m, 8, 9))).isTrue();
        assertThat(ClientRequests.isWellFormed(ClientRequests.test(m, 8, 9))).isTrue();
        assertThat(ClientRequests.isWellFormed(ClientRequests.disarm(m, 8))).isTrue();
    }

    @Test
    void inlineBytesMustAgreeWithTheLengthOfTheMessage() {
        for (int size = -1; size <= 66; size++) {
            int words = (size + 7) / 8;
            for (int appended = 0; appended <= 8; appended++) {
                ClientRequests.sendUnexpected(m, 1, 2, 3, 0, size, 0, ClientRequests.INLINE, 0);
                for (int i = 0; i < appended; i++) {
                    m.put(i);
                }
                boolean right = size >= 0 && size <= 64 && words == appended;
                assertThat(ClientRequests.isWellFormed(m))
                        .as("%d bytes in %d words", size, appended)
                        .isEqualTo(right);
            }
        }
    }

    @Test
    void kindsAndLengthsThatNobodySendsAreNotWellFormed() {
        Random random = new Random(42);
        int wellFormed = 0;
        for (int kind = 1; kind < 0x400; kind++) {
            for (int words = 0; words <= Message.MAX_WORDS; words++) {
                m.start(kind);
                for (int i = 0; i < words; i++) {
                    m.put(random.nextLong() | 1L << 40);
                }
                wellFormed += ClientRequests.isWellFormed(m) ? 1 : 0;
                wellFormed += ClientEvents.isWellFormed(m) ? 1 : 0;
                wellFormed += ServerRequests.isWellFormed(m) ? 1 : 0;
                wellFormed += ServerEvents.isWellFormed(m) ? 1 : 0;
            }
        }
        assertThat(wellFormed).as("one length for each kind").isEqualTo(8 + 5 + 5 + 9);
    }

    @Test
    void grantsKeepTheirFields() {
        ClientEvents.grantPlace(ClientEvents.grant(m, 0, 2, 3, 4, 5), 6, 7, 8, 9, 10);
        assertThat(ClientEvents.isWellFormed(m)).isTrue();
        assertThat(ClientEvents.reference(m)).isEqualTo(2);
        assertThat(ClientEvents.operationId(m)).isEqualTo(3);
        assertThat(ClientEvents.grantId(m)).isEqualTo(4);
        assertThat(ClientEvents.grantBytes(m)).isEqualTo(5);
        assertThat(ClientEvents.grantOffset(m)).isEqualTo(6);
        assertThat(ClientEvents.listOffset(m)).isEqualTo(7);
        assertThat(ClientEvents.listEntries(m)).isEqualTo(8);
        assertThat(ClientEvents.window(m)).isEqualTo(9);
        assertThat(ClientEvents.claimWord(m)).isEqualTo(10);
    }

    @Test
    void aWindowCountsItsClaimsUntilItIsClosed() {
        long word = GrantWindow.open(0x7fff_ffff, 0);
        for (int i = 0; i < 5; i++) {
            assertThat(GrantWindow.claimedCount(word)).isEqualTo(i);
            assertThat(GrantWindow.isClosed(word)).isFalse();
            word = GrantWindow.claimed(word);
        }
        long closed = GrantWindow.closed(word);
        assertThat(GrantWindow.isClosed(closed)).isTrue();
        assertThat(GrantWindow.claimedCount(closed)).isEqualTo(5);
        assertThat(GrantWindow.generation(closed)).isEqualTo(0x7fff_ffff);
    }

    @Test
    void theClaimsOfAWindowWrapWithoutTouchingItsGeneration() {
        long word = GrantWindow.claimed(GrantWindow.open(3, -1));
        assertThat(GrantWindow.claimedCount(word)).isZero();
        assertThat(GrantWindow.generation(word)).isEqualTo(3);
        assertThat(GrantWindow.open(-1, 0)).isEqualTo(GrantWindow.open(0x7fff_ffff, 0));
    }

    @Test
    void theStatesOfAnEagerSlotDiffer() {
        assertThat(EagerState.announced(9)).isNotIn(EagerState.taken(9), EagerState.withdrawn(9));
        assertThat(EagerState.taken(9)).isNotEqualTo(EagerState.withdrawn(9));
        assertThat(EagerState.announced(9)).isNotEqualTo(EagerState.announced(10));
        assertThat(EagerState.announced(0)).isNotZero();
    }
}
