package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jbmi.zbmi.protocol.SessionArea.KEEPS_ALL;
import static org.jbmi.zbmi.protocol.SessionArea.KEEPS_SOME;

import org.jbmi.zbmi.engine.port.EagerPlaces;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Unexpected messages that the server gets in the eager slots in which their clients put them. */
@Timeout(30)
class LentSlotsTest extends EngineFixture {
    private final Message message = new Message();

    private static long place(int client, int slot) {
        return PLACES.offset(client, slot);
    }

    private long returned(int client) {
        return payload.returned.getOrDefault(client, 0L);
    }

    @Test
    void theServerGetsTheSlotAndItsClientGetsItBack() {
        for (int turn = 0; turn < 3; turn++) {
            unexpectedLent(B, 2, 5, 100);
            said("s unexpected from c2 tag 5: 100");
            assertThat(output.arrived.getLast().offset()).isEqualTo(place(B, 2));
            assertThat(returned(B)).isEqualTo(turn % 2 == 0 ? 0 : 4);
            free(place(B, 2));
            saidNothing();
            assertThat(returned(B)).isEqualTo(turn % 2 == 0 ? 4 : 0);
        }
        assertThat(payload.copies).isEmpty();
        assertThat(engine.pendingOperations()).isZero();
        assertThat(count(EngineCounter.UNEXPECTED_ACCEPTED)).isEqualTo(3);
        assertThat(count(EngineCounter.UNEXPECTED_HELD)).isZero();
        assertThat(count(EngineCounter.EAGER_MOVES)).isZero();
    }

    @Test
    void slotsComeBackInAnyOrder() {
        for (int slot = 0; slot < 4; slot++) {
            unexpectedLent(A, slot, 5, slot);
        }
        assertThat(count(EngineCounter.UNEXPECTED_HELD)).isEqualTo(6);
        free(place(A, 3));
        free(place(A, 0));
        assertThat(returned(A)).isEqualTo(0b1001);
        unexpectedLent(A, 3, 5, 1);
        free(place(A, 1));
        free(place(A, 2));
        free(place(A, 3));
        assertThat(returned(A)).isEqualTo(0b0111);
        output.take();
    }

    @Test
    void whatIsNotLentCannotBeFreed() {
        long[] bad = {
            place(A, 1),
            place(A, 0) + 1,
            place(A, 0) - 128,
            place(A, 4),
            place(B, 0),
            place(0, 0),
            place(5, 0),
            Long.MAX_VALUE,
            Long.MIN_VALUE,
        };
        unexpectedLent(A, 0, 5, 10);
        output.take();
        for (long offset : bad) {
            free(offset);
            said("fault 0 BAD_FREE");
        }
        free(place(A, 0));
        saidNothing();
        free(place(A, 0));
        said("fault 0 BAD_FREE");
    }

    @Test
    void aSlotThatIsLentOrDoesNotExistIsAFault() {
        for (int slot : new int[] {-1, 4, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            unexpectedLent(A, slot, 5, 10);
            faulty("BAD_EAGER_SLOT");
        }
        unexpectedLent(A, 0, 5, 101);
        faulty("BAD_VALUE");
        unexpectedLent(A, 0, 5, -1);
        faulty("BAD_VALUE");
        ClientRequests.sendLent(message, 0, 5, 256, 1);
        engine.receive(A, message, nowNs);
        faulty("BAD_VALUE");
        unexpectedLent(A, 0, 5, 10);
        unexpectedLent(A, 0, 5, 10);
        said("s unexpected from c1 tag 5: 10", "fault 1 BAD_EAGER_SLOT");
        free(place(A, 0));
    }

    private void faulty(String fault) {
        said("fault 1 " + fault);
        engine.clientGone(A, -1, true);
        engine.clientAttached(A, 10 + A);
        output.take();
    }

    /** It has its memory already. */
    @Test
    void oneNeedsNoMemoryOfTheRegion() {
        var full = fillRegion();
        unexpectedLent(A, 1, 5, 10);
        said("s unexpected from c1 tag 5: 10");
        assertThat(payload.keeps.get(A)).isEqualTo(KEEPS_ALL);
        free(place(A, 1));
        full.forEach(each -> free(each.offset()));
    }

    @Test
    void oneStaysBehindOlderOnesAndBeforeLaterOnes() {
        unexpected(A, 1, 5, 500);
        output.take();
        unexpectedLent(A, 3, 6, 10);
        unexpectedInline(A, 2, 7, 99);
        assertThat(output.take()).containsExactly("c1 pending 2 for 2");
        assertThat(payload.keeps.get(A)).isEqualTo(KEEPS_SOME);
        test(A, 0);
        move(output.lastGrant());
        assertThat(output.take())
                .containsSubsequence(
                        "s unexpected from c1 tag 5: 500", "s unexpected from c1 tag 6: 10");
        assertThat(output.arrived.getLast().offset()).isEqualTo(place(A, 3));
        assertThat(payload.keeps.get(A)).isEqualTo(KEEPS_ALL);
        assertThat(payload.copies).isEmpty();
        free(place(A, 3));
        assertThat(returned(A)).isEqualTo(8);
    }

    /** The next client would write into what the server's program looks at. */
    @Test
    void aSessionIsNotFreeWhileTheServerHasASlotOfIt() {
        unexpectedLent(A, 0, 5, 10);
        unexpectedLent(A, 1, 5, 10);
        engine.clientGone(A, -1, true);
        assertThat(engine.mayAttachClient(A)).isFalse();
        free(place(A, 0));
        assertThat(engine.mayAttachClient(A)).isFalse();
        free(place(A, 1));
        assertThat(engine.mayAttachClient(A)).isTrue();
        engine.clientAttached(A, 50);
        payload.returned.remove(A); // the host has emptied the area
        output.take();
        unexpectedLent(A, 1, 5, 10);
        said("s unexpected from c1 tag 5: 10");
        free(place(A, 1));
        assertThat(returned(A)).isEqualTo(2);
    }

    @Test
    void withTheirClientThoseThatAreKeptAreDropped() {
        unexpected(A, 1, 5, 500);
        unexpectedLent(A, 0, 6, 10);
        assertThat(count(EngineCounter.UNEXPECTED_DROPPED)).isZero();
        engine.clientGone(A, -1, true);
        assertThat(count(EngineCounter.UNEXPECTED_DROPPED)).isEqualTo(1);
        assertThat(count(EngineCounter.UNEXPECTED_HELD)).isZero();
        assertThat(engine.mayAttachClient(A)).isTrue();
        output.take();
    }

    /** A hostile client, since nobody is told the id of what is kept. */
    @Test
    void whatIsKeptCannotBeWithdrawn() {
        unexpected(A, 1, 5, 500);
        unexpectedLent(A, 0, 6, 10);
        unexpectedKept(A, 7, 99);
        for (long id = 0; id < 1 << 12; id++) {
            withdraw(A, id, 0);
        }
        engine.state()
                .client(A)
                .unexpected
                .pending
                .drain(
                        each -> {
                            withdraw(A, each.id(), 0);
                            return false;
                        },
                        each -> {});
        assertThat(engine.pendingOperations()).isEqualTo(3);
        test(A, 0);
        move(output.lastGrant());
        assertThat(output.take())
                .containsSubsequence(
                        "s unexpected from c1 tag 6: 10", "s unexpected from c1 tag 7: 8");
        free(place(A, 0));
    }

    @Test
    void withoutEagerMessagesNoSlotCanBeLent() {
        Engine other = engine(limits(0, new EagerPlaces(1 << 28, 1 << 10, 0), 0));
        other.serverAttached(1);
        other.clientAttached(A, 1);
        output.take();
        Message m = ClientRequests.sendLent(message, 0, 5, 0, 0);
        other.receive(A, m, nowNs);
        assertThat(output.take()).containsExactly("fault 1 BAD_EAGER_SLOT");
        other.clientGone(A, -1, true);
        assertThat(other.mayAttachClient(A)).isTrue();
        output.take();
    }

    @Test
    void aServerThatMayStillLiveKeepsItsSlots() {
        unexpectedLent(A, 0, 5, 10);
        unexpected(A, 1, 5, 500);
        unexpectedLent(A, 1, 6, 10);
        engine.serverGone(false);
        assertThat(returned(A)).isEqualTo(2);
        assertThat(count(EngineCounter.UNEXPECTED_DROPPED)).isEqualTo(1);
        engine.serverProvedDead();
        assertThat(returned(A)).isEqualTo(3);
        engine.serverAttached(2);
        output.take();
        unexpectedLent(A, 0, 5, 10);
        said("s unexpected from c1 tag 5: 10");
        engine.finish(77);
        assertThat(returned(A)).isEqualTo(2);
        engine.serverGone(true);
        output.take();
    }

    @Test
    void withoutAServerOneIsKeptForTheNext() {
        engine.serverGone(true);
        output.take();
        unexpectedLent(A, 0, 5, 10);
        saidNothing();
        assertThat(payload.keeps.get(A)).isEqualTo(KEEPS_SOME);
        engine.serverAttached(2);
        assertThat(output.take()).contains("s unexpected from c1 tag 5: 10");
        assertThat(payload.keeps.get(A)).isEqualTo(KEEPS_ALL);
        free(place(A, 0));
    }

    @Test
    void oneTooManyGivesItsSlotBack() {
        var full = fillRegion();
        for (int i = 0; i < ClientRequests.MOST_KEPT; i++) {
            unexpectedKept(A, 6, i);
        }
        output.take();
        unexpectedLent(A, 0, 5, 10);
        said("fault 1 TOO_MANY_KEPT");
        assertThat(returned(A)).isEqualTo(1);
        engine.clientGone(A, -1, true);
        full.forEach(each -> free(each.offset()));
        output.take();
    }
}
