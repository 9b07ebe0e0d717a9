package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zoid.forward.LongCell;
import org.jbmi.zoid.forward.client.Launch;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.client.ZoidException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The memory of calls: budgets, where arrays begin, and buffers of a plug-in under its lock. */
@Timeout(60)
class BuffersTest {
    private static final int SMALL_BYTES = 4096;
    private static final int CALLS = 20;

    @TempDir Path folder;

    @AutoClose private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @Test
    void whatFitsASmallBufferTakesNoLargeOne() throws Exception {
        Budget budget = new Budget(SMALL_BYTES, 2, 1, Duration.ofMillis(50));
        Semaphore first = budget.take(SMALL_BYTES);
        Semaphore large = budget.take(SMALL_BYTES + 1);
        Semaphore second = budget.take(1);
        assertThat(second).isSameAs(first).isNotSameAs(large);
        for (long bytes : new long[] {1, SMALL_BYTES, SMALL_BYTES + 1, 4_195_328}) {
            assertThatThrownBy(() -> budget.take(bytes))
                    .isInstanceOfSatisfying(
                            ZoidException.class,
                            e -> assertThat(e.error()).isEqualTo(ZoidError.ENOMEM));
        }
        large.release();
        assertThat(budget.take(4_195_328)).isSameAs(large);
        first.release();
        assertThat(budget.take(SMALL_BYTES)).isSameAs(first);
    }

    /** The callback runs in the thread of the function, when the last byte has gone. */
    @Test
    void aLockIsTakenInTheFunctionAndOpenedInTheCallback() throws Exception {
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults())) {
            List<Future<?>> calls = new ArrayList<>();
            for (int client = 0; client < 2; client++) {
                calls.add(threads.submit(() -> takeAll(setup)));
            }
            for (Future<?> each : calls) {
                each.get(50, TimeUnit.SECONDS);
            }
            assertThat(setup.functions.told).hasSize(2 * CALLS).containsOnly("sent true");
            assertThat(setup.functions.lock.isLocked()).isFalse();
            assertThat(setup.log).isEmpty();
            Statistics.Part part = setup.daemon.statistics().parts().getLast();
            assertThat(part.name()).isEqualTo("Plugin 200");
            assertThat(part.unaligned()).isEqualTo(CALLS); // every other one of both
            assertThat(setup.daemon.statistics().prometheus())
                    .contains("zoid_unaligned_buffers_total{kind=\"Plugin 200\"} " + CALLS + "\n");
        }
    }

    private static void takeAll(DaemonSetup setup) {
        try (Zoid zoid = setup.client(Launch.NONE)) {
            HeldClient held = new HeldClient(zoid);
            for (int i = 0; i < CALLS; i++) {
                MemorySegment room = MemorySegment.ofArray(new byte[1000 + i]);
                held.give(room, new LongCell(1000 + i));
                byte[] expected = new byte[1000 + i];
                Arrays.fill(expected, (byte) 7);
                assertThat(room.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
            }
        }
    }

    /** Four calls have the turns of their process, and others are given up while they wait. */
    @Test
    void aRequestThatIsGivenUpBeforeItsTurnIsCountedOnce() throws Exception {
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                Zoid zoid =
                        Zoid.builder(setup.clientBmi)
                                .launch(Launch.NONE)
                                .withErrorCodes()
                                .callTimeout(Duration.ofMillis(100))
                                .connect(setup.address());
                Arena arena = Arena.ofShared()) {
            HeldClient held = new HeldClient(zoid);
            MemorySegment large = arena.allocate(2 * SMALL_BYTES);
            while (setup.functions.told.size() < 4 || traffic(setup).sentMessages() == 0) {
                assertThat(held.keep(large, large.byteSize())).isEqualTo(-1);
            }
            setup.functions.goesOn.countDown();
            DaemonSetup.await(
                    () -> {
                        Statistics.Part now = traffic(setup);
                        return now.sentMessages() >= 5
                                && now.receivedMessages() == now.sentMessages();
                    });
        }
    }

    private static Statistics.Part traffic(DaemonSetup setup) {
        return setup.daemon.statistics().parts().getLast();
    }

    @Test
    void theServerPutsArraysWhereTheyAreAligned() {
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                Zoid zoid = setup.client(Launch.NONE);
                Arena arena = Arena.ofShared()) {
            HeldClient held = new HeldClient(zoid);
            for (int bytes : new int[] {1, 100, 5000, 1_000_001}) {
                MemorySegment in = arena.allocate(bytes);
                assertThat(held.offsets(in, arena.allocate(bytes), bytes)).as("%d", bytes).isZero();
            }
        }
    }
}
