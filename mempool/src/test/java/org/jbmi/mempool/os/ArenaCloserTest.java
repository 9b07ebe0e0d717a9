package org.jbmi.mempool.os;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Arenas that a native call holds. */
@Timeout(30)
class ArenaCloserTest {
    private static final long WAIT_NS = 100_000_000;
    private static final int MOST_TRIES = 200;

    /** An arena that cannot be closed. */
    private static final class Held implements Arena {
        private final Arena memory;
        private int tries;

        Held(Arena memory) {
            this.memory = memory;
        }

        @Override
        public MemorySegment allocate(long byteSize, long byteAlignment) {
            return memory.allocate(byteSize, byteAlignment);
        }

        @Override
        public MemorySegment.Scope scope() {
            return memory.scope();
        }

        @Override
        public void close() {
            tries++;
            throw new IllegalStateException("held");
        }
    }

    /** One try in each millisecond, however slow the machine is. */
    @Test
    void anInterruptedThreadSleepsBetweenItsTries() {
        try (Arena memory = Arena.ofShared()) {
            Held held = new Held(memory);
            Thread.currentThread().interrupt();
            assertThat(ArenaCloser.close(held, WAIT_NS)).isFalse();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(held.tries).isBetween(1, MOST_TRIES);
        }
    }
}
