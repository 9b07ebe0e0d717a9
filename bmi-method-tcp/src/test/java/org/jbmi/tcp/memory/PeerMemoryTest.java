package org.jbmi.tcp.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.observe.Counters;
import org.jbmi.testsuite.support.StuckWrite;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** No counter of the JVM shows memory that is not freed, so the test asks the segments. */
@Timeout(30)
class PeerMemoryTest {
    private static final long CHUNK_BYTES = 1 << 20;
    private static final long MEMORY_BYTES = 2 * CHUNK_BYTES;
    private static final long LEAST_BYTES = 512;

    private final PeerAccount account = new PeerAccount();
    private final PeerMemory memory =
            new PeerMemory(
                    MEMORY_BYTES,
                    MEMORY_BYTES,
                    PeerAccount.EARLY,
                    Counters.inMemory().register(1, "test.heldBytes", "bytes"));

    @Test
    void anEmptyChunkIsFreedForAMessageThatNeedsItsRoom() {
        long small = memory.allocate(account, 1);
        MemorySegment first = memory.segment(small);
        memory.free(small);
        assertThat(first.scope().isAlive()).isTrue();
        long large = memory.allocate(account, MEMORY_BYTES);
        assertThat(large).isNotEqualTo(PeerMemory.NONE);
        assertThat(first.scope().isAlive()).isFalse();
        memory.close(Long.MAX_VALUE);
    }

    @Test
    void anEmptyChunkThatANativeCallHoldsIsClosedLater() throws Exception {
        long small = memory.allocate(account, 1);
        MemorySegment first = memory.segment(small);
        try (StuckWrite write = new StuckWrite(first)) {
            write.awaitBegin();
            memory.free(small);
            assertThat(memory.allocate(account, MEMORY_BYTES)).isNotEqualTo(PeerMemory.NONE);
        }
        memory.close(Long.MAX_VALUE);
        assertThat(first.scope().isAlive()).isFalse();
    }

    @Test
    void smallMessagesThatLieApartKeepNoMemoryFromALargeOne() {
        PeerAccount other = new PeerAccount();
        long[] large = new long[(int) (MEMORY_BYTES / CHUNK_BYTES)];
        for (int i = 0; i < large.length; i++) {
            large[i] = memory.allocate(other, CHUNK_BYTES - LEAST_BYTES);
            assertThat(memory.allocate(account, 1)).isNotEqualTo(PeerMemory.NONE);
        }
        for (long each : large) {
            memory.free(each);
        }
        long wanted = MEMORY_BYTES - large.length * LEAST_BYTES;
        long token = memory.allocate(other, wanted);
        assertThat(token).isNotEqualTo(PeerMemory.NONE);
        assertThat(memory.allocate(account, 1)).as("beyond the limit").isEqualTo(PeerMemory.NONE);
        MemorySegment own = memory.segment(token);
        memory.free(token);
        assertThat(own.scope().isAlive()).isFalse();
        memory.close(Long.MAX_VALUE);
    }

    /** Thousands of chunks that hold one small message each would fill the heap. */
    @Test
    void aSmallMessageThatFindsNoPieceGetsNoneOfItsOwn() {
        List<Long> tokens = new ArrayList<>();
        PeerAccount[] accounts =
                Stream.generate(PeerAccount::new).limit(32).toArray(PeerAccount[]::new);
        for (int i = 0; i < MEMORY_BYTES / LEAST_BYTES; i++) {
            tokens.add(memory.allocate(accounts[i % accounts.length], LEAST_BYTES));
        }
        assertThat(tokens).doesNotContain(PeerMemory.NONE);
        for (int i = 0; i < tokens.size(); i += 2) {
            memory.free(tokens.get(i));
        }
        assertThat(memory.allocate(account, 2 * LEAST_BYTES)).isEqualTo(PeerMemory.NONE);
        assertThat(memory.allocate(account, CHUNK_BYTES / 4 - LEAST_BYTES))
                .isEqualTo(PeerMemory.NONE);
        assertThat(memory.allocate(account, CHUNK_BYTES / 4)).isNotEqualTo(PeerMemory.NONE);
        assertThat(memory.allocate(account, LEAST_BYTES)).isNotEqualTo(PeerMemory.NONE);
        memory.close(Long.MAX_VALUE);
    }

    @Test
    void aCloseFreesAllChunks() {
        MemorySegment first = memory.segment(memory.allocate(account, CHUNK_BYTES));
        MemorySegment second = memory.segment(memory.allocate(new PeerAccount(), CHUNK_BYTES));
        assertThat(second).isNotEqualTo(first);
        memory.close(Long.MAX_VALUE);
        assertThat(first.scope().isAlive()).isFalse();
        assertThat(second.scope().isAlive()).isFalse();
    }

    @Test
    void aCloseFreesTheChunksThatNoNativeCallHolds() throws Exception {
        MemorySegment first = memory.segment(memory.allocate(account, CHUNK_BYTES));
        MemorySegment second = memory.segment(memory.allocate(new PeerAccount(), CHUNK_BYTES));
        try (StuckWrite write = new StuckWrite(first)) {
            write.awaitBegin();
            assertThatThrownBy(() -> memory.close(System.nanoTime()))
                    .isInstanceOf(IllegalStateException.class);
        }
        assertThat(second.scope().isAlive()).isFalse();
    }
}
