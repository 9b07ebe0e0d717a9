package org.jbmi.zoid.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.channel.DoorEvents;
import org.jbmi.zbmi.channel.EngineDoor;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.link.PeerLine;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerPost;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jbmi.zoid.common.QuietChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** What a server says to an engine elsewhere is read there as it was said, and the other way. */
@Timeout(30)
class MessageDoorTest {
    private static final long LONG_NS = 1_000_000_000;

    private final List<String> heard = new ArrayList<>();
    private final Channel channel = new Channel();
    private final EngineDoor door = new MessageDoor(events(), channel::opened);

    /** Everything that is said to the server, in a line each. */
    private DoorEvents events() {
        return (DoorEvents)
                Proxy.newProxyInstance(
                        DoorEvents.class.getClassLoader(),
                        new Class<?>[] {DoorEvents.class},
                        (proxy, method, arguments) -> {
                            heard.add(method.getName() + Arrays.toString(arguments));
                            return null;
                        });
    }

    private static final class Channel implements QuietChannel {
        final Message last = new Message();
        final Message answer = new Message();
        PeerEvents events;
        int result = OK;
        int calls;
        int notes;
        int looks;
        boolean isClosed;

        PeerChannel opened(PeerEvents newEvents) {
            events = newEvents;
            return this;
        }

        PeerEvents events() {
            return Objects.requireNonNull(events);
        }

        @Override
        public int progress() {
            looks++;
            return 1;
        }

        @Override
        public void close() {
            isClosed = true;
        }

        @Override
        public int call(Message request, Message reply, long timeoutNs) {
            calls++;
            last.copyFrom(request);
            reply.copyFrom(answer);
            return result;
        }

        @Override
        public int note(Message note, long timeoutNs) {
            notes++;
            last.copyFrom(note);
            return result;
        }
    }

    private static ServerPost post() {
        ServerPost post = new ServerPost();
        post.isSend = true;
        post.reference = 1;
        post.session = 2;
        post.generation = 3;
        post.tag = 4;
        post.expiryMs = ServerRequests.NEVER;
        post.bytes = 5;
        post.offset = 6;
        post.listOffset = 7;
        post.listEntries = 8;
        return post;
    }

    @Test
    void aPostIsCarriedAndAnswered() {
        ServerEvents.answered(channel.answer, ServerEvents.POST_COMPLETED, 0, 1, 5);
        ServerPost post = post();
        assertThat(door.post(post, LONG_NS)).isEqualTo(PeerLine.OK);
        assertThat(post.answer()).isEqualTo(ServerEvents.POST_COMPLETED);
        assertThat(post.value()).isEqualTo(5);
        Message m = channel.last;
        assertThat(m.kind()).isEqualTo(ServerRequests.POST_SEND);
        assertThat(ServerRequests.isPost(m)).isTrue();
        assertThat(ServerRequests.operationId(m)).isEqualTo(1);
        assertThat(ServerRequests.session(m)).isEqualTo(2);
        assertThat(ServerRequests.generation(m)).isEqualTo(3);
        assertThat(ServerRequests.tag(m)).isEqualTo(4);
        assertThat(ServerRequests.expiryMs(m)).isEqualTo(ServerRequests.NEVER);
        assertThat(ServerRequests.bytes(m)).isEqualTo(5);
        assertThat(ServerRequests.offset(m)).isEqualTo(6);
        assertThat(ServerRequests.listOffset(m)).isEqualTo(7);
        assertThat(ServerRequests.listEntries(m)).isEqualTo(8);
    }

    @Test
    void aPostThatNobodyWaitsForIsANoteAndItsAnswerIsNews() {
        ServerPost post = post();
        post.isSend = false;
        assertThat(door.post(post, EngineDoor.WITHOUT_WAITING)).isEqualTo(PeerLine.TIMED_OUT);
        assertThat(post.isAnswered()).isFalse();
        assertThat(channel.notes).isEqualTo(1);
        assertThat(channel.last.kind()).isEqualTo(ServerRequests.POST_RECEIVE);
        assertThat(ServerRequests.isAwaited(ServerRequests.correlation(channel.last))).isFalse();
        channel.result = PeerLine.BROKEN;
        assertThat(door.post(post, EngineDoor.WITHOUT_WAITING)).isEqualTo(PeerLine.BROKEN);
    }

    @Test
    void anEngineThatLetsAMomentPassIsToldAndNotAskedUntilItIsHeard() {
        ServerEvents.answered(
                channel.answer, ServerEvents.CANCEL_REPLY, 0, 1, ServerEvents.CANCELLED);
        assertThat(door.cancel(1, 77, true)).isEqualTo(ServerEvents.CANCELLED);
        assertThat(door.cancel(1, 77, false)).isEqualTo(ServerEvents.REQUESTED);
        assertThat(channel.calls).isEqualTo(1);
        assertThat(channel.notes).isEqualTo(1);
        channel.result = PeerLine.TIMED_OUT;
        assertThat(door.cancel(1, 77, true)).isEqualTo(ServerEvents.REQUESTED);
        assertThat(door.cancel(2, 78, true)).isEqualTo(ServerEvents.REQUESTED);
        assertThat(channel.calls).as("the second one does not wait").isEqualTo(2);
        assertThat(channel.notes).isEqualTo(2);
        assertThat(ServerRequests.operationId(channel.last)).isEqualTo(2);
        assertThat(ServerRequests.zoidId(channel.last)).isEqualTo(78);
        channel.events().onEvent(ServerEvents.clientAttached(new Message(), 1, 1));
        channel.result = PeerLine.OK;
        assertThat(door.cancel(3, 79, true)).isEqualTo(ServerEvents.CANCELLED);
        channel.result = PeerLine.NOT_SENT;
        assertThat(door.cancel(4, 80, true)).isEqualTo(ServerEvents.REQUESTED);
        assertThat(channel.notes).as("what found no room is told").isEqualTo(3);
    }

    @Test
    void memoryIsGivenBackAndTheGoodbyeIsACall() {
        door.unexpectedFree(64);
        assertThat(ServerRequests.freedOffset(channel.last)).isEqualTo(64);
        ServerEvents.finishReply(channel.answer, 0, 0);
        door.finish(LONG_NS);
        assertThat(channel.last.kind()).isEqualTo(ServerRequests.FINISH);
        assertThat(channel.calls).isEqualTo(1);
    }

    /** Its memory may be gone, and those who call do not enter the session for this. */
    @Test
    void oneThatIsClosedTouchesNothing() {
        door.close(LONG_NS);
        assertThat(channel.isClosed).isTrue();
        door.unexpectedFree(64);
        assertThat(door.progress()).isZero();
        assertThat(channel.notes).isZero();
        assertThat(channel.looks).isZero();
    }

    @Test
    void whatComesIsSaid() {
        Message m = new Message();
        PeerEvents in = channel.events();
        in.onEvent(ServerEvents.answered(m, ServerEvents.REGISTERED, -1, 2, 3));
        in.onEvent(ServerEvents.answered(m, ServerEvents.POST_COMPLETED, -1, 2, 3));
        in.onEvent(ServerEvents.answered(m, ServerEvents.POST_REFUSED, -1, 2, -3));
        in.onEvent(ServerEvents.answered(m, ServerEvents.CANCEL_REPLY, -1, 2, 3));
        in.onEvent(ServerEvents.finishReply(m, -1, 2));
        in.onEvent(ServerEvents.completion(m, 1, -2, 3, 4, 5));
        in.onEvent(ServerEvents.unexpected(m, 1, 2, -3, 4, 5, 6, 7));
        in.onEvent(ServerEvents.clientAttached(m, 1, 2));
        in.onEvent(ServerEvents.clientGone(m, 1, 2, -3));
        in.afterDispatch();
        in.onLeadWanted();
        in.onBroken("why");
        assertThat(heard)
                .containsExactly(
                        "answered[769, -1, 2, 3]",
                        "answered[770, -1, 2, 3]",
                        "answered[771, -1, 2, -3]",
                        "answered[772, -1, 2, 3]",
                        "finishReply[-1, 2]",
                        "completion[1, -2, 3, 4, 5]",
                        "unexpected[1, 2, -3, 4, 5, 6, 7]",
                        "clientAttached[1, 2]",
                        "clientGone[1, 2, -3]",
                        "afterDispatchnull",
                        "onLeadWantednull",
                        "onBroken[why]");
    }
}
