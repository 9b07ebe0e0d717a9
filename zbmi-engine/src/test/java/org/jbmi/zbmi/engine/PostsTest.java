package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.engine.port.EagerPlaces;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.engine.port.WaitReason;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jbmi.zbmi.protocol.SessionArea;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;

/** The borders of what may be posted, and what becomes ready beside it. */
@Timeout(30)
class PostsTest extends EngineFixture {

    private static EngineLimits limits(long[] v) {
        return new EngineLimits(
                (int) v[0],
                (int) v[1],
                (int) v[2],
                v[3],
                v[4],
                (int) v[5],
                (int) v[6],
                EagerPlaces.NONE,
                (int) v[7],
                0,
                v[8],
                0,
                4096,
                v[9]);
    }

    @Test
    void everyLimitHasALeastValue() {
        long[] least = {1, 1, 1, 1, 1, 0, 0, 1, 1, 0};
        assertThat(limits(least).isExpected(0, 4096)).isTrue();
        assertThat(limits(least).isExpected(0, 4097)).isFalse();
        assertThat(limits(least).isExpected(4096, 0)).isTrue();
        for (int i = 0; i < least.length; i++) {
            long[] less = least.clone();
            less[i]--;
            assertThatThrownBy(() -> limits(less))
                    .as("limit %d", i)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(
                        () -> limits(new long[] {1, 1, 1, 1, (1 << 30) + 1, 0, 0, 1, 1L << 31, 0}))
                .hasMessageContaining("1 GiB");
        assertThat(limits(new long[] {1, 1, 1, 1, 1 << 30, 0, 0, 1, 1L << 31, 0})).isNotNull();
    }

    @Test
    void clientsAndTheirMemoryHaveBounds() {
        assertThat(limits(new long[] {1000, 1, 1, 1, 1, 0, 0, 1, 1L << 36, 0})).isNotNull();
        assertThatThrownBy(() -> limits(new long[] {1001, 1, 1, 1, 1, 0, 0, 1, 1, 0}))
                .hasMessageContaining("1000 clients");
        assertThatThrownBy(() -> limits(new long[] {1, 1, 1, 1, 1, 0, 0, 1, (1L << 36) + 1, 0}))
                .hasMessageContaining("64 GiB");
    }

    @Test
    void aListMayBeAsLongAsIsAllowed() {
        post(false, 1, 70, A, 11, 5, 10, 0, EXPECTED, 16, ServerRequests.NEVER, nowNs);
        said("s registered 70 for 1");
    }

    @Test
    void anUnexpectedMessageMayHaveAnyClassOfAByte() {
        for (int messageClass : new int[] {0, 255}) {
            sendUnexpected(A, 1, 1, 5, messageClass, 10, 0, -1, 0);
            move(output.lastGrant());
            assertThat(output.arrived.getLast().messageClass()).isEqualTo(messageClass);
        }
    }

    @Test
    void aPostWhoseAnswerNobodyAwaitsIsAnsweredWhileAClientMovesTheBytes() {
        test(A, 60_000);
        send(A, 1, 5, 10);
        output.take();
        post(false, -1, 70, A, 11, 5, 10, EXPECTED, 0, 0, ServerRequests.NEVER, nowNs);
        assertThat(output.take()).contains("s registered 70 for -1");
        move(output.lastGrant());
        assertThat(engine.pendingOperations()).isZero();
    }

    @Test
    void aServerThatWillNotWaitIsAnsweredAtOnce() {
        engine = engine(limits(100, PLACES, 0));
        everybodyAttaches();
        send(A, 1, 5, 10);
        test(A, 60_000);
        output.take();
        long post = postReceive(70, A, 5, 10);
        said("c1 grant 1 for 0: 10", "s registered 70 for " + post);
        move(output.lastGrant());
        said("s completion 70: 10");
    }

    @Test
    void postsToAClientThatSaidGoodbyeSaySo() {
        engine.clientGone(A, ErrorCode.EPIPE.negativeValue(), true);
        output.take();
        postReceive(70, A, 5, 10);
        post(false, 2, 71, A, 10, 5, 10, EXPECTED, 0, 0, ServerRequests.NEVER, nowNs);
        said("s refused 70 for 1: EPIPE", "s refused 71 for 2: EHOSTDOWN");
        engine.clientAttached(A, 99);
        output.take();
        postReceive(72, A, 5, 10);
        said("s refused 72 for 2: EHOSTDOWN");
    }

    @Test
    void theEndOfATransferMakesRoomForTheNextOfAnotherTag() {
        for (int i = 0; i < SessionArea.WINDOWS; i++) {
            send(A, i, 1, 10);
            postReceive(i, A, 1, 10);
        }
        test(A, 60_000);
        assertThat(output.grants).hasSize(SessionArea.WINDOWS);
        send(A, 98, 2, 10);
        postReceive(98, A, 2, 10);
        unexpected(A, 99, 3, 10);
        output.take();
        assertThat(reasonsBeside(1))
                .containsExactlyInAnyOrder(
                        "2 true false NO_CREDIT",
                        "2 false false NO_CREDIT",
                        "3 true true NO_CREDIT");
        move(output.grants.getFirst());
        assertThat(output.lastGrant().reference()).isEqualTo(98);
        assertThat(reasonsBeside(1))
                .containsExactlyInAnyOrder(
                        "2 true false MOVING", "2 false false MOVING", "3 true true NO_CREDIT");
    }

    /** Of the operations with other tags. */
    private List<String> reasonsBeside(int unwanted) {
        List<String> reasons = new ArrayList<>();
        engine.showOperations(
                0,
                1000,
                1000,
                (id, client, isOfServer, isSend, isUnexpected, tag, bytes, ageNs, reason) -> {
                    if (tag != unwanted) {
                        reasons.add(tag + " " + isSend + " " + isUnexpected + " " + reason);
                        assertThat(ageNs).isEqualTo(7);
                    }
                },
                nowNs + 7);
        return reasons;
    }

    @Test
    void reasonsGoOverTheWire() {
        for (WaitReason reason : WaitReason.values()) {
            assertThat(WaitReason.ofWire(reason.toWire())).isSameAs(reason);
            assertThat(reason.sentence()).isNotEmpty();
        }
        assertThat(WaitReason.ofWire(0)).isNull();
        assertThat(WaitReason.ofWire(10)).isNull();
    }

    @Test
    void windowsAreUsedAgainBesideOneThatStaysInUse() {
        postReceive(70, A, 1, 10);
        send(A, 1, 1, 10);
        RecordingOutput.Granted stays = output.lastGrant();
        claim(stays);
        for (int i = 0; i < 3 * SessionArea.WINDOWS; i++) {
            postReceive(71, A, 2, 10);
            send(A, 2, 2, 10);
            assertThat(output.lastGrant().window()).isNotEqualTo(stays.window());
            move(output.lastGrant());
        }
        done(stays);
        assertThat(output.take()).last().isEqualTo("s completion 70: 10");
    }
}
