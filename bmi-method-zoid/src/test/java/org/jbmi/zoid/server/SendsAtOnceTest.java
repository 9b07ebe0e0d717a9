package org.jbmi.zoid.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.pool.PoolAllocator;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.zbmi.channel.EngineDoor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.Map;

/** Short sends that are over in their post, and those of which that is in doubt. */
@Timeout(30)
class SendsAtOnceTest extends OperationsFixture {
    private static final int BYTES = 64;
    private static final long NO_SLOT = ErrorCode.ENOBUFS.negativeValue();
    private static final int HOST_DOWN = ErrorCode.EHOSTDOWN.negativeValue();

    private TestOperation send(MemorySegment memory) {
        return new TestOperation(client(1, 1), 5, memory).sends();
    }

    @Test
    void oneNeedsNoSlot() {
        door.atOnce = EngineDoor.SENT;
        MemorySegment block = take(BYTES);
        assertThat(operations.post(send(block))).isEqualTo(BYTES);
        assertThat(operations.pending()).isZero();
        assertThat(door.calls).isZero();
        free(block);
    }

    @Test
    void oneThatCannotBeOverIsPosted() {
        MemorySegment block = take(BYTES);
        Operation operation = send(block);
        assertThat(operations.post(operation)).isEqualTo(Method.PENDING);
        assertThat(door.calls).isEqualTo(1);
        completed(operation);
        assertThat(over).containsExactly(Map.entry(operation, 0));
        free(block);
    }

    @Test
    void memoryOfTheProgramGoesThroughTheUsualWay() {
        door.atOnce = EngineDoor.SENT;
        Operation operation = send(MemorySegment.ofArray(new byte[BYTES]));
        assertThat(operations.post(operation)).isEqualTo(Method.PENDING);
        assertThat(door.calls).isEqualTo(1);
    }

    @Test
    void oneInDoubtIsPendingAndHoldsItsMemory() {
        door.atOnce = EngineDoor.IN_DOUBT;
        MemorySegment block = take(BYTES);
        Operation operation = send(block);
        assertThat(operations.post(operation)).isEqualTo(Method.PENDING);
        assertThat(operations.pending()).isEqualTo(1);
        assertThat(freed(block)).isEqualTo(PoolAllocator.IN_USE);
        completed(operation);
        assertThat(over).containsExactly(Map.entry(operation, 0));
        free(block);
    }

    @Test
    void oneInDoubtEndsWithTheSession() {
        door.atOnce = EngineDoor.IN_DOUBT;
        Operation operation = send(take(BYTES));
        assertThat(operations.post(operation)).isEqualTo(Method.PENDING);
        operations.endAll(CLOSED);
        operations.runDeferred();
        assertThat(over).containsExactly(Map.entry(operation, CLOSED));
    }

    /** The message has gone when the doubt is seen: the post must not fail then. */
    @Test
    void oneInDoubtHasASlotAlsoIfOtherPostsTakeAllMeanwhile() {
        door.atOnce = EngineDoor.IN_DOUBT;
        MemorySegment block = take(BYTES);
        door.meanwhile = () -> postReceives(block);
        Operation operation = send(block);
        assertThat(operations.post(operation)).isEqualTo(Method.PENDING);
        assertThat(operations.pending()).isEqualTo(MAX_OPERATIONS + 1);
        door.meanwhile = () -> {};
        assertThat(operations.post(send(block))).as("no slot is left").isEqualTo(NO_SLOT);
        completed(operation);
        assertThat(over).containsExactly(Map.entry(operation, 0));
    }

    private void postReceives(MemorySegment block) {
        long posted = Method.PENDING;
        while (posted == Method.PENDING) {
            posted = operations.post(new TestOperation(client(1, 1), 6, block));
        }
        assertThat(posted).isEqualTo(NO_SLOT);
    }

    @Test
    void oneInDoubtIsUndecidedWhileTheSessionEnds() {
        door.atOnce = EngineDoor.IN_DOUBT;
        assertThat(guard.shut()).isTrue();
        assertThat(operations.post(send(take(BYTES)))).isEqualTo(HOST_DOWN);
        assertThat(operations.pending()).isZero();
    }
}
