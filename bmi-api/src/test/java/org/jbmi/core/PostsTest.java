package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.BmiBuilder;
import org.jbmi.ErrorCode;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongSupplier;

/** The six posts: what the method is told, and who may not post any more. */
class PostsTest extends ScriptedTest {
    private static final PostOptions POOL = PostOptions.NONE.withPoolOnly();
    private final MemorySegment[] list = {buffer.asSlice(0, 10), buffer.asSlice(10, 20)};

    @Override
    BmiBuilder builder() {
        return super.builder().knob("bmi.maxOperations", "64");
    }

    private List<LongSupplier> all() {
        return List.of(
                () -> context.postSend(peer, buffer, 1, "a", POOL),
                () -> context.postSendList(peer, list, 30, 2, "b", POOL),
                () -> context.postReceive(peer, buffer, 3, "c", POOL),
                () -> context.postReceiveList(peer, list, 30, 4, "d", POOL),
                () -> context.postSendUnexpected(peer, buffer, 5, 50, "e", POOL),
                () -> context.postSendUnexpectedList(peer, list, 30, 6, 60, "f", POOL));
    }

    @Test
    void methodIsToldWhatWasAsked() {
        OperationKind[] kinds = {
            OperationKind.SEND, OperationKind.RECEIVE, OperationKind.SEND_UNEXPECTED
        };
        int i = 0;
        for (LongSupplier post : all()) {
            long id = post.getAsLong();
            assertThat(PostResult.isPending(id)).isTrue();
            Operation operation = method.held(id);
            boolean isList = i % 2 == 1;
            assertThat(operation.kind()).isEqualTo(kinds[i / 2]);
            assertThat(operation.address()).isSameAs(method.address("peer"));
            assertThat(operation.bufferCount()).isEqualTo(isList ? 2 : 1);
            assertThat(operation.sizeBytes()).isEqualTo(isList ? 30 : 256);
            assertThat(operation.tag()).isEqualTo(i + 1);
            assertThat(operation.messageClass()).isEqualTo(i < 4 ? 0 : (i + 1) * 10);
            assertThat(operation.poolOnly()).isTrue();
            method.complete(id);
            assertThat(context.test(id, done, 0)).isEqualTo(1);
            assertThat(done.userData(0)).isEqualTo(String.valueOf((char) ('a' + i)));
            i++;
        }
    }

    @Test
    void answerOfTheMethodIsThatOfThePost() {
        script.rule = (m, operation) -> operation.tag() + 100;
        int tag = 1;
        for (LongSupplier post : all()) {
            assertThat(post.getAsLong()).isEqualTo(tag + 100);
            tag++;
        }
        script.rule = (m, operation) -> EIO;
        for (LongSupplier post : all()) {
            assertThat(post.getAsLong()).isEqualTo(EIO);
        }
        assertThat(inUse()).isZero();
    }

    @Test
    void closedContextTakesNoPosts() {
        context.close();
        for (LongSupplier post : all()) {
            assertCode(ErrorCode.EINVAL, post::getAsLong);
        }
        assertThat(inUse()).isZero();
        assertThat(method.heldIds()).isEmpty();
    }

    @Test
    void closedContextDoesNotEvenAwaitWhatIsKnown() {
        assertThat(context.await(17, 0)).isEqualTo(17);
        context.close();
        assertCode(ErrorCode.EINVAL, () -> context.await(17, 0));
    }

    /** The close looks for operations before the method has this one; so the post takes it back. */
    @Test
    void postThatACloseOvertakesLeavesNothing() {
        script.rule =
                (m, operation) -> {
                    context.close();
                    return m.hold(operation);
                };
        assertThat(PostResult.isPending(receive())).isTrue();
        assertThat(method.heldIds()).isEmpty();
        assertThat(inUse()).isZero();
    }

    @Test
    void closedInstanceTakesNoPosts() {
        bmi.close();
        for (LongSupplier post : all()) {
            assertCode(ErrorCode.EINVAL, post::getAsLong);
        }
    }

    @Test
    void unexpectedListsNeedAClassThatThereIs() {
        for (int wrong : new int[] {-1, 256}) {
            assertCode(
                    ErrorCode.EINVAL,
                    () ->
                            context.postSendUnexpectedList(
                                    peer, list, 30, 1, wrong, null, PostOptions.NONE));
        }
        for (int right : new int[] {0, 255}) {
            assertThat(
                            context.postSendUnexpectedList(
                                    peer, list, 30, 1, right, null, PostOptions.NONE))
                    .matches(PostResult::isPending);
        }
    }

    @Test
    void fullTableRefusesEveryPost() {
        long most = bmi.configuration().get(CoreKnobs.MAX_OPERATIONS);
        for (long i = 0; i < most; i++) {
            assertThat(PostResult.isPending(receive())).isTrue();
        }
        for (LongSupplier post : all()) {
            assertThat(PostResult.refusal(post.getAsLong())).isEqualTo(ErrorCode.ENOBUFS);
        }
    }
}
