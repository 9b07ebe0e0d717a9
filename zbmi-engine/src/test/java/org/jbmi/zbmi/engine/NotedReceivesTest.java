package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jbmi.zbmi.protocol.ClientRequests.NO_DATA_ROOM;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.protocol.TagBits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Receives that nobody is answered, and the words from which their clients know that. */
@Timeout(20)
class NotedReceivesTest extends EngineFixture {
    private static final int TAG = 7;

    private void note(int client, long reference, int tag, long roomBytes) {
        receive(client, 0, reference, tag, roomBytes, 0, NO_DATA_ROOM);
    }

    private boolean isShown(int client, int tag) {
        return TagBits.isSet(payload.sendTags.getOrDefault(client, 0L), tag);
    }

    @Test
    void nothingIsSaidOfOneThatIsRegistered() {
        note(A, 1, TAG, 100);
        saidNothing();
        assertThat(engine.pendingOperations()).isEqualTo(1);
    }

    @Test
    void itGetsTheNextMessageWhenItsClientWaits() {
        note(A, 1, TAG, 100);
        postSend(70, A, TAG, 60);
        assertThat(output.take()).singleElement().asString().startsWith("s registered");
        test(A, 0);
        assertThat(output.lastGrant().reference()).isEqualTo(1);
        assertThat(output.lastGrant().bytes()).isEqualTo(60);
    }

    @Test
    void itIsCancelledByItsReference() {
        note(A, 1, TAG, 100);
        note(A, 2, TAG, 100);
        cancelled(A, 1, 1);
        cancelled(A, 2, 77);
        cancelled(B, 1, 2);
        saidNothing();
        assertThat(engine.pendingOperations()).isEqualTo(1);
        assertThat(count(EngineCounter.WITHDRAWN)).isEqualTo(1);
        note(A, 1L << Integer.SIZE | 1, TAG, 100);
        cancelled(A, 3, 1);
        assertThat(engine.pendingOperations()).as("a later life of the name").isEqualTo(2);
    }

    @Test
    void aNameIsInUseOnceAndWithinTheLimit() {
        note(A, 1, TAG, 100);
        note(A, 1L << Integer.SIZE | 1, TAG, 100);
        said("fault " + A + " BAD_REFERENCE");
        note(B, limits().maxClientOperations(), TAG, 100);
        said("fault " + B + " BAD_REFERENCE");
        note(C, -1, TAG, 100);
        said("fault " + C + " BAD_REFERENCE");
    }

    @Test
    void aSendThatFindsNoReceiveIsShownBeforeItIsAnswered() {
        postSend(70, A, TAG, 60);
        assertThat(isShown(A, TAG)).isTrue();
        assertThat(isShown(B, TAG)).isFalse();
        receive(A, 1, TAG, 100);
        assertThat(isShown(A, TAG)).isFalse();
    }

    @Test
    void oneThatFindsItsReceiveIsNotShown() {
        note(A, 1, TAG, 100);
        postSend(70, A, TAG, 60);
        assertThat(payload.sendTags).isEmpty();
        cancelled(A, 1, 1);
        assertThat(isShown(A, TAG)).as("its receive has gone").isTrue();
    }

    @Test
    void aBitStaysUntilTheLastOfItsTagsHasGone() {
        int other = TAG + 1;
        while (TagBits.place(other) != TagBits.place(TAG)) {
            other++;
        }
        postSend(70, A, TAG, 60);
        postSend(71, A, other, 60);
        receive(A, 1, TAG, 100);
        assertThat(isShown(A, TAG)).isTrue();
        receive(A, 2, other, 100);
        assertThat(isShown(A, TAG)).isFalse();
    }

    @Test
    void whatGoesIsNotShownAnyMore() {
        postSend(70, A, TAG, 60);
        engine.clientGone(A, ErrorCode.EHOSTDOWN.negativeValue(), true);
        assertThat(isShown(A, TAG)).isFalse();
        postSend(71, B, TAG, 60);
        engine.serverGone(true);
        assertThat(isShown(B, TAG)).isFalse();
    }
}
