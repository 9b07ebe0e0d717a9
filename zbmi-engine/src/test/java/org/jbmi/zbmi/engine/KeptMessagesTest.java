package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jbmi.zbmi.protocol.SessionArea.KEEPS_ALL;
import static org.jbmi.zbmi.protocol.SessionArea.KEEPS_SOME;

import org.jbmi.zbmi.engine.port.EagerPlaces;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

/** Short unexpected messages whose sends are over: none is lost, and nothing is said of them. */
@Timeout(30)
class KeptMessagesTest extends EngineFixture {
    private int keeps(int client) {
        return payload.keeps.get(client);
    }

    @Test
    void oneIsAcceptedAtOnceAndNothingIsSaid() {
        assertThat(keeps(A)).isEqualTo(KEEPS_ALL);
        unexpectedKept(A, 5, 99);
        said("s unexpected from c1 tag 5: 8");
        assertThat(payload.read(output.arrived.getLast().offset())).isEqualTo(99);
        assertThat(engine.pendingOperations()).isZero();
        assertThat(keeps(A)).isEqualTo(KEEPS_ALL);
    }

    @Test
    void withoutMemoryOneIsKeptAndTheClientStops() {
        List<RecordingOutput.Arrived> full = fillRegion();
        unexpectedKept(A, 5, 98);
        unexpectedKept(A, 6, 99);
        saidNothing();
        assertThat(keeps(A)).isEqualTo(KEEPS_SOME);
        assertThat(keeps(B)).isEqualTo(KEEPS_ALL);
        assertThat(count(EngineCounter.UNEXPECTED_DEFERRED)).isEqualTo(1);
        free(full.getFirst().offset());
        said("s unexpected from c1 tag 5: 8", "s unexpected from c1 tag 6: 8");
        assertThat(payload.read(output.arrived.getLast().offset())).isEqualTo(99);
        assertThat(keeps(A)).isEqualTo(KEEPS_ALL);
        assertThat(count(EngineCounter.UNEXPECTED_DROPPED)).isZero();
    }

    @Test
    void oneStaysBehindOlderOnesAndBeforeLaterOnes() {
        unexpected(A, 1, 5, 500);
        output.take();
        unexpectedKept(A, 6, 98);
        unexpectedInline(A, 2, 7, 99);
        assertThat(output.take()).containsExactly("c1 pending 2 for 2");
        assertThat(keeps(A)).isEqualTo(KEEPS_SOME);
        test(A, 0);
        move(output.lastGrant());
        assertThat(output.take())
                .containsSubsequence(
                        "s unexpected from c1 tag 5: 500", "s unexpected from c1 tag 6: 8");
        assertThat(keeps(A)).isEqualTo(KEEPS_ALL);
    }

    /** An operation needs memory, and would change the word that its client reads. */
    @Test
    void oneBehindAClaimedOfferIsNoOperation() {
        unexpected(A, 1, 5, 500);
        test(A, 0);
        assertThat(claim(output.lastGrant())).isTrue();
        payload.keeps.clear();
        unexpectedKept(A, 6, 98);
        assertThat(payload.keeps).as("what its client was shown").isEmpty();
        output.take();
        done(output.lastGrant());
        said("s unexpected from c1 tag 5: 500", "s unexpected from c1 tag 6: 8");
    }

    /** They come on top of the operations that a client may have. */
    @Test
    void noneIsRefusedForWantOfOperations() {
        fillRegion();
        for (int i = 0; i < limits().maxClientOperations(); i++) {
            unexpectedInline(A, 100 + i, 5, 1);
        }
        for (int i = 0; i < ClientRequests.MOST_KEPT; i++) {
            unexpectedKept(A, 6, i);
        }
        assertThat(count(EngineCounter.UNEXPECTED_DROPPED)).isZero();
        assertThat(engine.pendingOperations())
                .isEqualTo(limits().maxClientOperations() + ClientRequests.MOST_KEPT);
        output.take();
        unexpectedKept(A, 6, 0);
        said("fault 1 TOO_MANY_KEPT");
    }

    @Test
    void withTheirClientOrTheServerTheyAreDropped() {
        fillRegion();
        unexpectedKept(A, 5, 98);
        unexpectedKept(B, 5, 99);
        engine.clientGone(A, -1, true);
        assertThat(count(EngineCounter.UNEXPECTED_DROPPED)).isEqualTo(1);
        engine.clientAttached(A, 50);
        assertThat(keeps(A)).isEqualTo(KEEPS_ALL);
        long dropped = count(EngineCounter.UNEXPECTED_DROPPED);
        output.take();
        engine.serverGone(true);
        assertThat(count(EngineCounter.UNEXPECTED_DROPPED)).isEqualTo(dropped + 1);
        assertThat(output.take()).noneMatch(line -> line.startsWith("c2"));
        assertThat(keeps(A)).isZero();
        assertThat(keeps(B)).isZero();
        unexpectedKept(B, 5, 97);
        assertThat(keeps(B)).isEqualTo(KEEPS_SOME);
        engine.serverAttached(2);
        assertThat(output.take()).contains("s unexpected from c2 tag 5: 8");
        assertThat(keeps(A)).isEqualTo(KEEPS_ALL);
        assertThat(keeps(B)).isEqualTo(KEEPS_ALL);
    }

    @Test
    void oneThatIsTooLongBreaksTheProtocol() {
        engine.clientGone(A, -1, true);
        EngineLimits small =
                new EngineLimits(
                        1,
                        1,
                        1,
                        1,
                        4,
                        0,
                        0,
                        EagerPlaces.NONE,
                        1,
                        UNEXPECTED,
                        4096,
                        EXPECTED,
                        4096,
                        0);
        Engine other = engine(small);
        other.serverAttached(1);
        other.clientAttached(A, 1);
        output.take();
        Message m = ClientRequests.sendKept(new Message(), 1, 0, 8).put(1);
        other.receive(A, m, nowNs);
        assertThat(output.take()).containsExactly("fault 1 BAD_VALUE");
    }
}
