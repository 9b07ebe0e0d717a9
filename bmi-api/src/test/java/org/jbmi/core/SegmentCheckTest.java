package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.core.operation.PostedFields;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Which buffers are taken, what lists must add up to, and what the method sees of them. */
class SegmentCheckTest extends ScriptedTest {
    private long send(MemorySegment segment) {
        return context.postSend(peer, segment, 1);
    }

    private long sendList(long total, MemorySegment... segments) {
        return context.postSendList(peer, segments, total, 1, null, PostOptions.NONE);
    }

    private void assertTaken(long result) {
        assertThat(PostResult.isPending(result)).isTrue();
    }

    @Test
    void everySegmentThatAllThreadsMayUseIsTaken() {
        try (Arena shared = Arena.ofShared()) {
            assertTaken(send(shared.allocate(10)));
            assertTaken(send(Arena.ofAuto().allocate(10)));
            assertTaken(send(Arena.global().allocate(10)));
            assertTaken(send(MemorySegment.ofArray(new byte[10])));
            assertTaken(send(MemorySegment.ofArray(new byte[10]).asReadOnly()));
            for (int i = 0; i <= 10; i++) {
                assertTaken(send(MemorySegment.ofArray(new byte[10]).asSlice(i)));
                assertTaken(send(MemorySegment.ofArray(new byte[10]).asSlice(i).asReadOnly()));
            }
            assertTaken(send(shared.allocate(10).asReadOnly()));
            assertTaken(send(MemorySegment.NULL));
            assertTaken(send(shared.allocate(0)));
        }
    }

    @Test
    void othersAreRefusedWithASentence() {
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment own = confined.allocate(10);
            assertCode(ErrorCode.EINVAL, () -> send(own));
            assertCode(ErrorCode.EINVAL, () -> sendList(10, own));
        }
        Arena arena = Arena.ofShared();
        MemorySegment dead = arena.allocate(10);
        arena.close();
        assertCode(ErrorCode.EINVAL, () -> send(dead));
        assertCode(ErrorCode.EINVAL, () -> send(MemorySegment.ofArray(new int[10])));
        assertCode(ErrorCode.EINVAL, () -> send(MemorySegment.ofArray(new long[10]).asReadOnly()));
        assertCode(ErrorCode.EINVAL, () -> send(MemorySegment.ofArray(new double[1])));
        for (int i = 0; i <= 8; i++) {
            MemorySegment ints = MemorySegment.ofArray(new int[2]).asSlice(i);
            assertCode(ErrorCode.EINVAL, () -> send(ints));
            MemorySegment shorts = MemorySegment.ofArray(new char[4]).asSlice(i);
            assertCode(ErrorCode.EINVAL, () -> send(shorts));
            assertCode(ErrorCode.EINVAL, () -> send(shorts.asReadOnly()));
        }
        MemorySegment readOnly = buffer.asReadOnly();
        assertCode(ErrorCode.EINVAL, () -> context.postReceive(peer, readOnly, 1));
        assertTaken(send(readOnly));
    }

    @Test
    void sizesAreHeldAgainstTheLimits() {
        Arena arena = Arena.ofAuto();
        assertTaken(send(arena.allocate(1 << 20)));
        int tooLong = ErrorCode.EMSGSIZE.negativeValue();
        assertThat(send(arena.allocate((1 << 20) + 1))).isEqualTo(tooLong);
        assertThat(context.postReceive(peer, arena.allocate((1 << 20) + 1), 1)).isEqualTo(tooLong);
        assertTaken(context.postSendUnexpected(peer, arena.allocate(4096), 1));
        assertThat(context.postSendUnexpected(peer, arena.allocate(4097), 1)).isEqualTo(tooLong);
        MemorySegment half = arena.allocate(1 << 19);
        assertTaken(sendList(1 << 20, half, half));
        assertThat(sendList((1 << 20) + 1, half, half, arena.allocate(1))).isEqualTo(tooLong);
        assertThat(inUse()).isEqualTo(3);
    }

    @Test
    void listsMustAddUp() {
        MemorySegment ten = buffer.asSlice(0, 10);
        assertTaken(sendList(0));
        assertTaken(sendList(0, buffer.asSlice(0, 0), buffer.asSlice(0, 0)));
        assertTaken(sendList(20, ten, ten));
        assertCode(ErrorCode.EINVAL, () -> sendList(19, ten, ten));
        assertCode(ErrorCode.EINVAL, () -> sendList(-1));
        assertCode(ErrorCode.EINVAL, () -> sendList(10));
        MemorySegment[] holes = new MemorySegment[2];
        holes[0] = ten;
        assertCode(ErrorCode.EINVAL, () -> sendList(10, holes));
        MemorySegment endless = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
        assertCode(ErrorCode.EINVAL, () -> sendList(-2, endless, endless));
        assertThat(inUse()).isEqualTo(3);
    }

    @Test
    void listsHaveABoundedLength() {
        MemorySegment[] longest = new MemorySegment[64];
        java.util.Arrays.fill(longest, buffer.asSlice(0, 1));
        assertTaken(sendList(64, longest));
        MemorySegment[] longer = new MemorySegment[65];
        java.util.Arrays.fill(longer, buffer.asSlice(0, 1));
        assertCode(ErrorCode.EINVAL, () -> sendList(65, longer));
    }

    @Test
    void listIsCapturedAtThePost() {
        MemorySegment one = buffer.asSlice(0, 10);
        MemorySegment two = buffer.asSlice(10, 20);
        MemorySegment[] list = {one, two};
        long id = context.postReceiveList(peer, list, 30, 7, null, PostOptions.NONE.withPoolOnly());
        list[0] = two;
        list[1] = MemorySegment.NULL;
        Operation operation = method.held(id);
        assertThat(operation.kind()).isEqualTo(OperationKind.RECEIVE);
        assertThat(operation.bufferCount()).isEqualTo(2);
        assertThat(operation.buffer(0)).isSameAs(one);
        assertThat(operation.buffer(1)).isSameAs(two);
        assertThat(operation.sizeBytes()).isEqualTo(30);
        assertThat(operation.tag()).isEqualTo(7);
        assertThat(operation.poolOnly()).isTrue();
        assertThat(operation.address()).isSameAs(method.address("peer"));
    }

    @Test
    void operationCarriesNothingFromItsLastLife() {
        MemorySegment[] list = {buffer, buffer, buffer};
        for (int i = 0; i < 200; i++) {
            long id =
                    context.postSendUnexpectedList(
                            peer,
                            list,
                            768,
                            i,
                            9,
                            "data",
                            PostOptions.NONE.withDeadlineMs(LONG_MS));
            Operation operation = method.held(id);
            assertThat(operation.messageClass()).isEqualTo(9);
            operation.attachment(this);
            operation.methodState(5);
            operation.word0(1);
            operation.word1(2);
            operation.word2(3);
            method.complete(id);
            context.test(id, done, 0);
            assertThat(operation.addressOrNull()).isNull();
            assertThat(operation.bufferCount()).isZero();
            for (int k = 0; k < list.length; k++) {
                assertThat(PostedFields.listEntry(operation, k)).as("kept alive").isNull();
            }

            long next = context.postSend(peer, buffer, 3);
            Operation fresh = method.held(next);
            assertThat(fresh.kind()).isEqualTo(OperationKind.SEND);
            assertThat(fresh.messageClass()).isZero();
            assertThat(fresh.bufferCount()).isEqualTo(1);
            assertThat(fresh.buffer(0)).isSameAs(buffer);
            assertThat(fresh.hasDeadline()).isFalse();
            assertThat(fresh.poolOnly()).isFalse();
            assertThat(fresh.attachment()).isNull();
            assertThat(fresh.methodState()).isZero();
            assertThat(fresh.word0() | fresh.word1() | fresh.word2()).isZero();
            method.complete(next);
            assertThat(context.test(next, done, 0)).isEqualTo(1);
            assertThat(done.userData(0)).isNull();
        }
        assertThat(inUse()).isZero();
    }
}
