package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.BmiBuilder;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.Test;

/** A reference for each message that was delivered. */
class AutomaticReferencesTest extends ScriptedTest {
    private static final int EPROTO = ErrorCode.EPROTO.negativeValue();
    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(8);

    @Override
    BmiBuilder builder() {
        return super.builder().automaticReferences(true);
    }

    private PeerAddress met(int count) {
        for (int i = 0; i < count; i++) {
            method.deliver("sender", i, 0, 1);
        }
        assertThat(bmi.testUnexpected(messages, 0)).isEqualTo(count);
        return messages.peer(0);
    }

    private long post(PeerAddress sender) {
        return context.postSend(sender, buffer, 1);
    }

    @Test
    void releaseAfterTheLastMessageForgetsTheSender() {
        PeerAddress sender = met(1);
        messages.free(0);
        assertThat(PostResult.isPending(post(sender))).isTrue();
        sender.release();
        assertThat(post(sender)).isEqualTo(EPROTO);
        assertThat(gauge("bmi.peers")).isEqualTo(1);
    }

    @Test
    void releaseBeforeTheMessageIsFreedForgetsTheSenderThen() {
        PeerAddress sender = met(1);
        sender.release();
        assertThat(PostResult.isPending(post(sender))).isTrue();
        messages.free(0);
        assertThat(post(sender)).isEqualTo(EPROTO);
    }

    @Test
    void releaseBeforeAllMessagesAreFreedForgetsTheSenderThen() {
        PeerAddress sender = met(3);
        for (int i = 0; i < 3; i++) {
            sender.release();
        }
        assertThat(PostResult.isPending(post(sender))).isTrue();
        messages.freeAll();
        assertThat(method.freedTokens).hasSize(3);
        assertThat(post(sender)).isEqualTo(EPROTO);
    }

    @Test
    void twoMessagesNeedTwoReleases() {
        PeerAddress sender = met(2);
        assertThat(messages.peer(1)).isSameAs(sender);
        messages.free(0);
        sender.release();
        assertThat(PostResult.isPending(post(sender))).isTrue();
        messages.free(1);
        assertThat(PostResult.isPending(post(sender))).isTrue();
        sender.release();
        assertThat(post(sender)).isEqualTo(EPROTO);
        assertCode(ErrorCode.EINVAL, () -> sender.release());
    }

    @Test
    void messageThatWaitsKeepsItsSender() {
        PeerAddress sender = met(1);
        method.deliver("sender", 9, 0, 1);
        messages.free(0);
        sender.release();
        assertThat(PostResult.isPending(post(sender))).isTrue();
        assertThat(bmi.testUnexpected(messages, 0)).isEqualTo(1);
        assertThat(messages.peer(0)).isSameAs(sender);
        messages.free(0);
        sender.release();
        assertThat(post(sender)).isEqualTo(EPROTO);
    }

    @Test
    void deadSenderStaysUntilItsLastRelease() {
        PeerAddress sender = met(1);
        method.host().peerFailed(method.address("sender"), EIO);
        assertThat(post(sender)).isEqualTo(EIO);
        messages.free(0);
        assertThat(post(sender)).isEqualTo(EIO);
        sender.release();
        assertThat(post(sender)).isEqualTo(EPROTO);
        assertThat(gauge("bmi.peers")).isEqualTo(1);
    }

    @Test
    void manySendersComeAndGo() {
        for (int i = 0; i < 2_000; i++) {
            method.deliver("sender " + (i % 3), i, 0, 1);
            bmi.testUnexpected(messages, 0);
            PeerAddress sender = messages.peer(0);
            messages.free(0);
            sender.release();
        }
        assertThat(gauge("bmi.peers")).isEqualTo(1);
        assertThat(method.droppedAddresses).hasSize(2_000);
    }
}
