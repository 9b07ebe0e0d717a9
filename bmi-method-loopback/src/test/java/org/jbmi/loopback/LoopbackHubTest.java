package org.jbmi.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Who meets whom, and under which name. */
@Timeout(30)
class LoopbackHubTest {
    private static final int TAG = 3;
    private final List<Bmi> open = new ArrayList<>();
    private final MemorySegment buffer = Arena.ofAuto().allocate(64);
    private final MemorySegment large = Arena.ofAuto().allocate(8192);
    private final LoopbackHub hub = new LoopbackHub(3);

    @AfterEach
    void closeAll() {
        open.forEach(Bmi::close);
        assertThat(hub.memberCount()).isZero();
    }

    private Bmi open(BmiBuilder builder) {
        Bmi bmi = builder.open();
        open.add(bmi);
        return bmi;
    }

    private Bmi server(String name) {
        return open(builder().listen("loopback://" + name));
    }

    private BmiBuilder builder() {
        return Bmi.builder().attach(LoopbackHub.class, hub);
    }

    private static void assertRefused(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BmiException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void aFullHubRefuses() {
        server("a");
        server("b");
        Bmi last = server("c");
        assertRefused(ErrorCode.EBUSY, () -> server("d"));
        last.close();
        server("d");
        assertThat(hub.memberCount()).isEqualTo(3);
    }

    @Test
    void aHubHasRoomForSomebody() {
        assertRefused(ErrorCode.EINVAL, () -> new LoopbackHub(0));
    }

    @Test
    void aNameIsGivenOnce() {
        Bmi first = server("a");
        assertRefused(ErrorCode.EADDRINUSE, () -> server("a"));
        assertThat(hub.memberCount()).isOne();
        first.close();
        server("a");
    }

    @Test
    void aServerMayHaveSeveralNames() {
        Bmi server = open(builder().listen("loopback://x").listen("loopback://y"));
        Bmi client = open(builder());
        CompletionContext context = client.openContext();
        for (String name : List.of("loopback://x", "loopback://y")) {
            assertThat(context.postSendUnexpected(client.lookup(name), buffer, TAG)).isEqualTo(64);
        }
        server.close();
        assertThat(context.postSend(client.lookup("loopback://y"), buffer, TAG))
                .isEqualTo(ErrorCode.EPIPE.negativeValue());
    }

    @Test
    void aNameIsFoundWhenItIsNeeded() {
        Bmi client = open(builder());
        CompletionContext context = client.openContext();
        PeerAddress late = client.lookup("loopback://late");
        assertThat(context.postSend(late, buffer, TAG))
                .isEqualTo(ErrorCode.ECONNREFUSED.negativeValue());
        Bmi server = server("late");
        assertThat(context.postSendUnexpected(late, buffer, TAG)).isEqualTo(64);
        server.close();
        assertThat(context.postReceive(late, buffer, TAG))
                .isEqualTo(ErrorCode.EPIPE.negativeValue());
    }

    @Test
    void aSuccessorTakesTheNameOver() {
        Bmi first = server("store");
        Bmi client = open(builder());
        CompletionContext context = client.openContext();
        PeerAddress store = client.lookup("loopback://store");
        long waiting = context.postReceive(store, buffer, TAG);
        assertThat(PostResult.isPending(waiting)).isTrue();
        first.close();
        assertRefused(ErrorCode.EPIPE, () -> context.await(waiting, 1000));
        server("store");
        assertThat(context.postSendUnexpected(store, buffer, TAG)).isEqualTo(64);
    }

    @Test
    void hubsAreStrangersToEachOther() {
        server("a");
        Bmi elsewhere = open(Bmi.builder().attach(LoopbackHub.class, new LoopbackHub()));
        Bmi alone = open(Bmi.builder().listen("loopback://a"));
        for (Bmi stranger : List.of(elsewhere)) {
            CompletionContext context = stranger.openContext();
            assertThat(context.postSend(stranger.lookup("loopback://a"), buffer, TAG))
                    .isEqualTo(ErrorCode.ECONNREFUSED.negativeValue());
        }
        CompletionContext context = alone.openContext();
        assertThat(context.postSendUnexpected(alone.lookup("loopback://a"), buffer, TAG))
                .isEqualTo(64);
    }

    @Test
    void messagesOfAMemberThatIsLookedUpAgainComeUnderTheNewHandle() {
        Bmi server = server("s");
        Bmi client = server("c");
        CompletionContext context = client.openContext();
        PeerAddress toServer = client.lookup("loopback://s");
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        context.postSendUnexpected(toServer, buffer, TAG);
        PeerAddress first = senderOf(server, messages);
        first.drop();
        PeerAddress second = server.lookup("loopback://c");
        assertThat(second).isNotSameAs(first);
        context.postSendUnexpected(toServer, buffer, TAG);
        assertThat(senderOf(server, messages)).isSameAs(second);
        second.drop();
        PeerAddress alias = server.lookup("loopback://c,absent://x");
        PeerAddress third = server.lookup("loopback://c");
        third.drop();
        context.postSendUnexpected(toServer, buffer, TAG);
        assertThat(senderOf(server, messages)).isSameAs(alias);
        assertThat(server.lookup("loopback://c")).isNotSameAs(third);
        alias.drop();
        context.postSendUnexpected(toServer, buffer, TAG);
        assertThat(senderOf(server, messages)).isSameAs(server.lookup("loopback://c"));
    }

    @Test
    void messagesOfAMemberThatWasReleasedComeUnderTheNewHandle() {
        Bmi server = server("s");
        Bmi client = server("c");
        CompletionContext context = client.openContext();
        PeerAddress toServer = client.lookup("loopback://s");
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        context.postSendUnexpected(toServer, buffer, TAG);
        PeerAddress first = senderOf(server, messages);
        first.retain();
        first.release();
        PeerAddress second = server.lookup("loopback://c");
        assertThat(second).isNotSameAs(first);
        context.postSendUnexpected(toServer, buffer, TAG);
        assertThat(senderOf(server, messages)).isSameAs(second);
    }

    /** A server with room for few messages. */
    private Bmi smallServer() {
        return open(
                builder()
                        .knob("loopback.unexpectedBytes", "65536")
                        .listen("loopback://a")
                        .listen("loopback://b"));
    }

    /** Sends until a message finds no room; returns how many did. */
    private int flood(CompletionContext context, PeerAddress to) {
        int tag = 0;
        while (PostResult.isCompleted(context.postSendUnexpected(to, large, tag))) {
            tag++;
        }
        return tag;
    }

    @Test
    void messagesUnderTwoNamesOfAServerKeepTheirOrder() {
        Bmi server = smallServer();
        Bmi client = open(builder());
        CompletionContext context = client.openContext();
        int waiting = flood(context, client.lookup("loopback://a"));
        context.postSendUnexpected(client.lookup("loopback://b"), large, waiting + 1);
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        for (int tag = 0; tag <= waiting + 1; tag++) {
            assertThat(server.testUnexpected(messages, 0)).isOne();
            assertThat(messages.tag(0)).isEqualTo(tag);
            messages.free(0);
        }
    }

    @Test
    void aSenderThatIsLookedUpAgainLeavesRoomForOthers() {
        smallServer();
        Bmi client = open(builder());
        CompletionContext context = client.openContext();
        PeerAddress first = client.lookup("loopback://a");
        flood(context, first);
        first.drop();
        long more = context.postSendUnexpected(client.lookup("loopback://a"), large, TAG);
        assertThat(PostResult.isPending(more)).isTrue();
        Bmi newcomer = open(builder());
        assertThat(
                        newcomer.openContext()
                                .postSendUnexpected(newcomer.lookup("loopback://a"), large, TAG))
                .isEqualTo(large.byteSize());
    }

    private static PeerAddress senderOf(Bmi server, UnexpectedMessages messages) {
        assertThat(server.testUnexpected(messages, 0)).isOne();
        PeerAddress sender = messages.peer(0);
        messages.free(0);
        return sender;
    }
}
