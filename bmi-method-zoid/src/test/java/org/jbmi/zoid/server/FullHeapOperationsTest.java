package org.jbmi.zoid.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.ErrorCode;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.zoid.common.ZoidAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A full heap where an operation of a server is in the hands of others, or in nobody's. */
@Timeout(30)
class FullHeapOperationsTest extends OperationsFixture {
    private static final int HOST_DOWN = ErrorCode.EHOSTDOWN.negativeValue();

    /** It stood in the queue, and its place was given to the next post. */
    @Test
    void anOperationThatWaitsForMemoryAlreadyIsNotThrownAwayByItsPost() {
        ZoidAddress client = client(1, 1);
        MemorySegment all = take(POOL);
        Operation waiting = operation(client, 64);
        host.failsOnce = true;
        assertThat(operations.post(waiting)).isEqualTo(Method.PENDING);
        operations.runDeferred();
        assertThat(door.ends).as("the session ends in words").isEqualTo(1);
        assertThat(over).containsExactly(Map.entry(waiting, HOST_DOWN));
        free(all);
        assertThat(door.notes).as("what is over is sent").isZero();
    }

    /** Its slot was given back, and its program never heard of it. */
    @Test
    void anOutcomeReachesItsProgramAlthoughNobodyCanBeWokenForItsBlock() {
        ZoidAddress client = client(1, 1);
        Operation moved = posted(client, 64);
        MemorySegment rest = take(POOL / 2);
        Operation waiting = posted(client, (int) POOL);
        completed(moved);
        host.failsOnce = true;
        operations.runDeferred();
        assertThat(over).containsEntry(moved, 0);
        assertThat(door.ends).isEqualTo(1);
        operations.runDeferred();
        assertThat(over).containsEntry(waiting, HOST_DOWN).hasSize(2);
        free(rest);
    }

    /** Its block could never be freed. */
    @Test
    void aPostThatFailsInAHeapThatStaysFullKeepsNothing() {
        ZoidAddress client = client(1, 1);
        MemorySegment block = take(64);
        door.isHeapFull = true;
        assertThat(operations.post(new TestOperation(client, 1, block))).isEqualTo(HOST_DOWN);
        assertThat(door.ends).isEqualTo(1);
        assertThat(over).isEmpty();
        free(block);
    }

    /** Nobody could free its blocks any more. */
    @Test
    void aPostThatFailsBeforeItIsSentKeepsNothing() {
        ZoidAddress client = client(1, 1);
        List<MemorySegment> blocks = new ArrayList<>();
        for (int i = 0; i < POOL / 1024; i++) {
            blocks.add(take(1024));
        }
        Operation list = new TestOperation(client, 1, blocks.get(0), blocks.get(1));
        counted.close(); // there is no memory for its list, and its wait cannot be counted
        assertThatThrownBy(() -> operations.post(list)).isInstanceOf(IllegalStateException.class);
        assertThat(operations.pending()).isZero();
        blocks.forEach(this::free);
    }
}
