package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The table of operations: its bound, and ids that never come back. */
@Timeout(60)
class OperationTableTest {
    private final DeadlineQueue deadlines = new DeadlineQueue();

    @ParameterizedTest
    @ValueSource(ints = {64, 65, 100, 127, 128, 1000})
    void holdsAsManyAsItWasMadeFor(int most) {
        OperationTable table = new OperationTable(most);
        List<CoreOperation> taken = new ArrayList<>();
        Set<Long> ids = new HashSet<>();
        for (int i = 0; i < most; i++) {
            CoreOperation operation = table.take();
            taken.add(operation);
            ids.add(operation.begin(table.slotBits()));
            assertThat(table.find(operation.id())).isSameAs(operation);
        }
        assertThat(ids).hasSize(most).allMatch(PostResult::isPending);
        assertThat(table.take()).isNull();
        assertThat(table.inUse()).isEqualTo(most);
        int[] seen = new int[1];
        table.forEach(operation -> seen[0]++);
        assertThat(seen[0]).isEqualTo(most);

        long last = taken.getLast().id();
        table.free(taken.getLast(), deadlines);
        assertThat(table.find(last)).isNull();
        assertThat(table.take()).isSameAs(taken.getLast());
        assertThat(table.take()).isNull();
    }

    @Test
    void takesMemoryForWhatIsInUse() {
        var thread = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        new OperationTable(1 << 17); // loads the classes
        long before = thread.getCurrentThreadAllocatedBytes();
        OperationTable table = new OperationTable(1 << 17);
        table.free(table.take(), deadlines);
        assertThat(thread.getCurrentThreadAllocatedBytes() - before).isLessThan(100_000);
    }

    @Test
    void growsThroughAllLevelsAndUsesEverySlotAgain() {
        int most = 5000;
        OperationTable table = new OperationTable(most);
        for (int round = 0; round < 3; round++) {
            Set<CoreOperation> taken = new HashSet<>();
            for (int i = 0; i < most; i++) {
                taken.add(table.take());
            }
            assertThat(taken).hasSize(most).doesNotContainNull();
            assertThat(table.take()).isNull();
            assertThat(table.inUse()).isEqualTo(most);
            taken.forEach(operation -> table.free(operation, deadlines));
            assertThat(table.inUse()).isZero();
        }
    }

    @Test
    void otherNumbersAreFoundNowhere() {
        OperationTable table = new OperationTable(64);
        long id = table.take().begin(table.slotBits());
        for (long other :
                new long[] {0, -1, 1, id + 1, id + 63, id + 64, id - 64, Long.MAX_VALUE}) {
            assertThat(table.find(other)).isNull();
        }
    }

    /** Whatever was done before: an id is a positive number that shows its slot. */
    @Test
    void idsOfAnyGenerationArePending() {
        for (int slotBits : new int[] {6, 17, 22}) {
            for (long generation :
                    new long[] {1, 2, -1, 1L << 40, 1L << 61, Long.MAX_VALUE, Long.MIN_VALUE}) {
                long id = OperationTable.idOf(generation, 63, slotBits);
                assertThat(PostResult.isPending(id)).isTrue();
                assertThat(id & (1L << slotBits) - 1).isEqualTo(63);
            }
            assertThat(OperationTable.idOf(1, 5, slotBits))
                    .isNotEqualTo(OperationTable.idOf(2, 5, slotBits));
        }
    }

    @Test
    void operationThatIsGivenBackLeavesNoDeadline() {
        OperationTable table = new OperationTable(64);
        CoreOperation operation = table.take();
        operation.options(PostOptions.NONE.withDeadlineMs(1000));
        deadlines.add(operation, operation.begin(table.slotBits()));
        assertThat(deadlines.isEmpty()).isFalse();
        table.free(operation, deadlines);
        assertThat(deadlines.isEmpty()).isTrue();
        assertThat(operation.hasDeadline()).isFalse();
    }

    @Test
    void everyThreadMakesItGrow() {
        OperationTable table = new OperationTable(256);
        Set<CoreOperation> taken = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 2; i++) {
            CompletableFuture.runAsync(() -> takeChunk(table, taken)).join();
            takeChunk(table, taken);
        }
        assertThat(taken).hasSize(256);
        assertThat(table.take()).isNull();
    }

    private static void takeChunk(OperationTable table, Set<CoreOperation> taken) {
        for (int i = 0; i < 64; i++) {
            taken.add(table.take());
        }
    }

    /** Two million operations through a table of 64, some kept over many rounds: no id twice. */
    @Test
    void idsDoNotComeBack() {
        OperationTable table = new OperationTable(64);
        int rounds = 2_000_000;
        long[] ids = new long[rounds];
        CoreOperation[] kept = new CoreOperation[16];
        for (int i = 0; i < rounds; i++) {
            CoreOperation operation = table.take();
            ids[i] = operation.begin(table.slotBits());
            int place = i % 977 == 0 ? (i / 977) % kept.length : -1;
            if (place >= 0 && kept[place] != null) {
                table.free(kept[place], deadlines);
            }
            if (place >= 0) {
                kept[place] = operation;
            } else {
                table.free(operation, deadlines);
            }
        }
        Arrays.sort(ids);
        for (int i = 1; i < rounds; i++) {
            if (ids[i] == ids[i - 1]) {
                throw new AssertionError("the id " + ids[i] + " was given twice");
            }
        }
        assertThat(ids[0]).isGreaterThanOrEqualTo(PostResult.PENDING_BIT);
        assertThat(table.inUse()).isEqualTo(16);
    }
}
