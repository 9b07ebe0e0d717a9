package org.jbmi.zbmi.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;

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
        assertThat(copy.load(1 | 14L << 16)).isEqualTo(14);
        assertThat(copy.load(1 | 15L << 16)).isEqualTo(-1);
        assertThat(copy.load(1 | 1L << 40)).isEqualTo(-1);
        assertThat(copy.load(-1)).isEqualTo(-1);
    }

    @Test
    void aCopyIsTheSameMessageAndSaysSo() {
        m.start(7).put(255).put(16);
        Message copy = new Message();
        copy.copyFrom(m);
        assertThat(copy.header()).isEqualTo(m.header());
        assertThat(copy.word(0)).isEqualTo(255);
        assertThat(copy).hasToString("kind 7 ff 10");
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
        ClientRequests.receive(m, 1, 2, -3, 4, 5, ClientRequests.NO_DATA_ROOM);
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
    void whatAClientSaysOfItsTransfersAndCancelsKeepsItsFields() {
        assertThat(ClientRequests.done(m, 8, 9, -1)).isSameAs(m);
        assertThat(ClientRequests.grantId(m)).isEqualTo(8);
        assertThat(ClientRequests.doneBytes(m)).isEqualTo(9);
        assertThat(ClientRequests.withdraw(m, 10, 11)).isSameAs(m);
        assertThat(ClientRequests.withdrawnOperation(m)).isEqualTo(10);
        assertThat(ClientRequests.reference(m)).isEqualTo(11);
        assertThat(ClientRequests.isWellFormed(ClientRequests.expires(m, 12, 13, 14))).isTrue();
        assertThat(ClientRequests.expiringOperation(m)).isEqualTo(12);
        assertThat(ClientRequests.reference(m)).isEqualTo(13);
        assertThat(ClientRequests.expiresMs(m)).isEqualTo(14);
        assertThat(ClientRequests.isWellFormed(ClientRequests.cancelled(m, 15, 16))).isTrue();
        assertThat(ClientRequests.cancelNumber(m)).isEqualTo(15);
        assertThat(ClientRequests.reference(m)).isEqualTo(16);
        assertThat(ClientRequests.receive(m, 1, 2, 3, 4, 5, ClientRequests.NO_DATA_ROOM))
                .isSameAs(m);
        assertThat(ClientRequests.send(m, 1, 2, 3, 4, 5, 6, 7)).isSameAs(m);
        assertThat(ClientRequests.inlineWord(m)).isEqualTo(m.wordCount());
    }

    @Test
    void requestsOfTheServerKeepTheirFields() {
        int kind = ServerRequests.POST_SEND;
        assertThat(ServerRequests.post(m, kind, 1, 2, 3, 4, -5, 6, 7)).isSameAs(m);
        assertThat(ServerRequests.place(m, 8, 9, 10)).isSameAs(m);
        assertThat(ServerRequests.correlation(m)).isEqualTo(1);
        assertThat(ServerRequests.operationId(m)).isEqualTo(2);
        assertThat(ServerRequests.session(m)).isEqualTo(3);
        assertThat(ServerRequests.generation(m)).isEqualTo(4);
        assertThat(ServerRequests.tag(m)).isEqualTo(-5);
        assertThat(ServerRequests.expiryMs(m)).isEqualTo(6);
        assertThat(ServerRequests.bytes(m)).isEqualTo(7);
        assertThat(ServerRequests.offset(m)).isEqualTo(8);
        assertThat(ServerRequests.listOffset(m)).isEqualTo(9);
        assertThat(ServerRequests.listEntries(m)).isEqualTo(10);
        assertThat(ServerRequests.cancel(m, 1, 2, 3)).isSameAs(m);
        assertThat(ServerRequests.operationId(m)).isEqualTo(2);
        assertThat(ServerRequests.zoidId(m)).isEqualTo(3);
        assertThat(ServerRequests.unexpectedFree(m, 4)).isSameAs(m);
        assertThat(ServerRequests.freedOffset(m)).isEqualTo(4);
        assertThat(ServerRequests.finish(m, 5)).isSameAs(m);
        assertThat(ServerRequests.correlation(m)).isEqualTo(5);
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
    void aShortSendKeepsItsFieldsAndHasAllItsBytes() {
        ClientRequests.sendKept(m, -3, 255, 0);
        assertThat(ClientRequests.isKept(m)).isTrue();
        assertThat(ClientRequests.isCounted(m)).isFalse();
        assertThat(ClientRequests.isWellFormed(m)).isTrue();
        m.setWord(0, Message.pack(0, 3));
        assertThat(ClientRequests.isWellFormed(m)).as("no such answer").isFalse();
        ClientRequests.sendShort(m, 2, -3, 255, 88, true);
        assertThat(ClientRequests.inlineWord(m)).isEqualTo(m.wordCount());
        assertThat(ClientRequests.reference(m)).isEqualTo(2);
        assertThat(ClientRequests.tag(m)).isEqualTo(-3);
        assertThat(ClientRequests.shortClass(m)).isEqualTo(255);
        assertThat(ClientRequests.shortBytes(m)).isEqualTo(88);
        assertThat(ClientRequests.isCounted(m)).isTrue();
        for (int size = -1; size <= 96; size++) {
            int words = (size + 7) / 8;
            for (int appended = 0; appended <= 11; appended++) {
                ClientRequests.sendShort(m, 1, 2, 3, size, false);
                for (int i = 0; i < appended; i++) {
                    m.put(i);
                }
                boolean right = size >= 0 && size <= 88 && words == appended;
                assertThat(ClientRequests.isWellFormed(m))
                        .as("%d bytes in %d words", size, appended)
                        .isEqualTo(right);
            }
        }
        m.start(ClientRequests.SEND_SHORT);
        assertThat(ClientRequests.isWellFormed(m.put(0).put(1))).as("no tag").isFalse();
    }

    @Test
    void aLentSlotKeepsItsFields() {
        ClientRequests.sendLent(m, 63, -5, 255, 4096);
        assertThat(ClientRequests.isWellFormed(m)).isTrue();
        assertThat(ClientRequests.lentSlot(m)).isEqualTo(63);
        assertThat(ClientRequests.lentTag(m)).isEqualTo(-5);
        assertThat(ClientRequests.lentClass(m)).isEqualTo(255);
        assertThat(ClientRequests.lentBytes(m)).isEqualTo(4096);
        assertThat(ClientRequests.isKept(m)).isFalse();
        assertThat(ClientRequests.isWellFormed(m.put(0))).isFalse();
    }

    @Test
    void bytesInsideAMessageAreAsManyAsItSays() {
        ClientEvents.data(m, 7, 9).put(1).put(2);
        assertThat(ClientEvents.isWellFormed(m)).isTrue();
        assertThat(ClientEvents.correlation(m)).isZero();
        assertThat(ClientEvents.reference(m)).isEqualTo(7);
        assertThat(ClientEvents.dataBytes(m)).isEqualTo(9);
        assertThat(m.word(ClientEvents.dataWord())).isEqualTo(1);
        assertThat(ClientEvents.isWellFormed(m.put(3))).as("a word too many").isFalse();
        ClientEvents.data(m, 7, 9).put(1);
        assertThat(ClientEvents.isWellFormed(m)).as("a word is missing").isFalse();
        ClientEvents.data(m, 7, -1);
        assertThat(ClientEvents.isWellFormed(m)).isFalse();
        ClientEvents.data(m, 7, Long.MAX_VALUE);
        assertThat(ClientEvents.isWellFormed(m)).isFalse();
        ClientEvents.data(m, 7, 0);
        m.setWord(0, 5);
        assertThat(ClientEvents.isWellFormed(m)).as("it answers no call").isFalse();
    }

    @Test
    void aDataSlotIsOneThatThereIs() {
        int last = SessionArea.DATA_SLOTS - 1;
        int most = SegmentGeometry.MAX_EAGER_SLOT_BYTES;
        assertThat(ClientEvents.isWellFormed(ClientEvents.dataSlot(m, 7, 0, 0))).isTrue();
        assertThat(ClientEvents.isWellFormed(ClientEvents.dataSlot(m, 7, most, last))).isTrue();
        assertThat(ClientEvents.isOfOperation(m)).isTrue();
        assertThat(ClientEvents.correlation(m)).isZero();
        assertThat(ClientEvents.reference(m)).isEqualTo(7);
        assertThat(ClientEvents.dataBytes(m)).isEqualTo(most);
        assertThat(ClientEvents.slot(m)).isEqualTo(last);
        assertThat(ClientEvents.isWellFormed(m.put(0))).as("a word too many").isFalse();
        ClientEvents.dataSlot(m, 7, most, last + 1);
        assertThat(ClientEvents.isWellFormed(m)).as("no such slot").isFalse();
        ClientEvents.dataSlot(m, 7, most, -1);
        assertThat(ClientEvents.isWellFormed(m)).isFalse();
        ClientEvents.dataSlot(m, 7, most, 0).setWord(3, 1L << 32);
        assertThat(ClientEvents.isWellFormed(m)).as("the whole word counts").isFalse();
        ClientEvents.dataSlot(m, 7, most + 1, 0);
        assertThat(ClientEvents.isWellFormed(m)).as("longer than any slot").isFalse();
        ClientEvents.dataSlot(m, 7, -1, 0);
        assertThat(ClientEvents.isWellFormed(m)).isFalse();
        ClientEvents.dataSlot(m, 7, 1, 0).setWord(0, 5);
        assertThat(ClientEvents.isWellFormed(m)).as("it answers no call").isFalse();
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
        assertThat(wellFormed).as("one length for each kind").isEqualTo(10 + 5 + 5 + 9);
    }

    @Test
    void grantsKeepTheirFields() {
        ClientEvents.grant(m, 1, 2, 3, 4, 5);
        assertThat(ClientEvents.grantPlace(m, 6, 7, 8, 9, -11, 10)).isSameAs(m);
        assertThat(ClientEvents.isWellFormed(m)).isTrue();
        assertThat(ClientEvents.correlation(m)).isEqualTo(1);
        assertThat(ClientEvents.reference(m)).isEqualTo(2);
        assertThat(ClientEvents.operationId(m)).isEqualTo(3);
        assertThat(ClientEvents.grantId(m)).isEqualTo(4);
        assertThat(ClientEvents.grantBytes(m)).isEqualTo(5);
        assertThat(ClientEvents.grantOffset(m)).isEqualTo(6);
        assertThat(ClientEvents.listOffset(m)).isEqualTo(7);
        assertThat(ClientEvents.listEntries(m)).isEqualTo(8);
        assertThat(ClientEvents.window(m)).isEqualTo(9);
        assertThat(ClientEvents.claimWord(m)).isEqualTo(10);
        assertThat(ClientEvents.partner(m)).isEqualTo((1L << Integer.SIZE) - 11);
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
        Set<Long> states = new HashSet<>();
        for (long sequence = 0; sequence < 100; sequence++) {
            states.add(EagerState.announced(sequence));
            states.add(EagerState.taken(sequence));
            states.add(EagerState.withdrawn(sequence));
        }
        assertThat(states).hasSize(300);
    }
}
