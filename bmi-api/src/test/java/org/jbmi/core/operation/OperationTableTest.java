package org.jbmi.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.spi.SpinLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
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

    private OperationStock stockOf(OperationTable table) {
        return new OperationStock(table, deadlines, new SpinLock());
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 65, 100, 127, 128, 1000})
    void holdsAsManyAsItWasMadeFor(int most) {
        OperationTable table = new OperationTable(most);
        OperationStock stock = stockOf(table);
        List<CoreOperation> taken = new ArrayList<>();
        Set<Long> ids = new HashSet<>();
        for (int i = 0; i < most; i++) {
            CoreOperation operation = Stocks.take(stock);
            taken.add(operation);
            ids.add(operation.begin(table.slotBits()));
            assertThat(table.find(operation.id())).isSameAs(operation);
        }
        assertThat(ids).hasSize(most).allMatch(PostResult::isPending);
        assertThat(Stocks.take(stock)).isNull();
        assertThat(table.inUse()).isEqualTo(most);
        assertThat(table.countToVisit()).isEqualTo(most);
        for (int slot = 0; slot < most; slot++) {
            assertThat(ids).contains(table.at(slot).id());
        }

        long last = taken.getLast().id();
        Stocks.free(stock, taken.getLast());
        assertThat(table.find(last)).isNull();
        assertThat(Stocks.take(stock)).isSameAs(taken.getLast());
        assertThat(Stocks.take(stock)).isNull();
    }

    @Test
    void aFreeOperationKeepsNoLongList() {
        CoreOperation operation = new CoreOperation(0);
        operation.list(new MemorySegment[256], 0);
        operation.retire();
        assertThat(operation.listEntry(255)).isNull();
        operation.list(new MemorySegment[257], 0);
        operation.retire();
        assertThatThrownBy(() -> operation.listEntry(0))
                .isInstanceOf(ArrayIndexOutOfBoundsException.class);
    }

    @Test
    void takesMemoryForWhatIsInUse() {
        var thread = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        new OperationTable(1 << 17); // loads the classes
        long before = thread.getCurrentThreadAllocatedBytes();
        OperationTable table = new OperationTable(1 << 17);
        OperationStock stock = stockOf(table);
        Stocks.free(stock, Stocks.take(stock));
        assertThat(thread.getCurrentThreadAllocatedBytes() - before).isLessThan(100_000);
    }

    @Test
    void growsThroughAllLevelsAndUsesEverySlotAgain() {
        int most = 5000;
        OperationTable table = new OperationTable(most);
        OperationStock stock = stockOf(table);
        for (int round = 0; round < 3; round++) {
            Set<CoreOperation> taken = new HashSet<>();
            for (int i = 0; i < most; i++) {
                taken.add(Stocks.take(stock));
            }
            assertThat(taken).hasSize(most).doesNotContainNull();
            assertThat(Stocks.take(stock)).isNull();
            assertThat(table.inUse()).isEqualTo(most);
            taken.forEach(operation -> Stocks.free(stock, operation));
            assertThat(table.inUse()).isZero();
        }
    }

    @Test
    void otherNumbersAreFoundNowhere() {
        OperationTable table = new OperationTable(64);
        OperationStock stock = stockOf(table);
        long id = Stocks.take(stock).begin(table.slotBits());
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
        OperationStock stock = stockOf(table);
        CoreOperation operation = Stocks.take(stock);
        operation.options(PostOptions.NONE.withDeadlineMs(1000));
        deadlines.reserve();
        deadlines.add(operation, operation.begin(table.slotBits()));
        assertThat(deadlines.isEmpty()).isFalse();
        Stocks.free(stock, operation);
        assertThat(deadlines.isEmpty()).isTrue();
        assertThat(operation.hasDeadline()).isFalse();
    }

    @Test
    void everyThreadMakesItGrow() {
        OperationTable table = new OperationTable(256);
        OperationStock stock = stockOf(table);
        Set<CoreOperation> taken = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 2; i++) {
            CompletableFuture.runAsync(() -> takeChunk(stock, taken)).join();
            takeChunk(stock, taken);
        }
        assertThat(taken).hasSize(256);
        assertThat(Stocks.take(stock)).isNull();
    }

    private static void takeChunk(OperationStock stock, Set<CoreOperation> taken) {
        for (int i = 0; i < 64; i++) {
            taken.add(Stocks.take(stock));
        }
    }

    /** Two million operations through a table of 64, some kept over many rounds: no id twice. */
    @Test
    void idsDoNotComeBack() {
        OperationTable table = new OperationTable(64);
        OperationStock stock = stockOf(table);
        int rounds = 2_000_000;
        long[] ids = new long[rounds];
        CoreOperation[] kept = new CoreOperation[16];
        for (int i = 0; i < rounds; i++) {
            CoreOperation operation = Stocks.take(stock);
            ids[i] = operation.begin(table.slotBits());
            int place = i % 977 == 0 ? (i / 977) % kept.length : -1;
            if (place >= 0 && kept[place] != null) {
                Stocks.free(stock, kept[place]);
            }
            if (place >= 0) {
                kept[place] = operation;
            } else {
                Stocks.free(stock, operation);
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

    /** What one context has at hand and does not use is there for all others. */
    @Test
    void contextsFindWhatOthersHaveAtHand() {
        OperationTable table = new OperationTable(200);
        OperationStock first = stockOf(table);
        OperationStock second = stockOf(table);
        OperationStock third = stockOf(table);
        List<CoreOperation> taken = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            taken.add(Stocks.take(first));
        }
        taken.forEach(operation -> Stocks.free(first, operation));
        taken.clear();
        for (int i = 0; i < 100; i++) {
            taken.add(Stocks.take(second));
            taken.add(Stocks.take(third));
        }
        assertThat(new HashSet<>(taken)).hasSize(200).doesNotContainNull();
        for (OperationStock stock : new OperationStock[] {first, second, third}) {
            assertThat(Stocks.take(stock)).isNull();
        }
        Stocks.free(second, taken.getFirst());
        assertThat(Stocks.take(first)).isSameAs(taken.getFirst());
    }

    /** A context that closes keeps nothing, what ends later included. */
    @Test
    void closedContextGivesEverythingBack() {
        OperationTable table = new OperationTable(64);
        OperationStock closing = stockOf(table);
        OperationStock other = stockOf(table);
        CoreOperation pending = Stocks.take(closing);
        closing.close();
        for (int i = 0; i < 63; i++) {
            assertThat(Stocks.take(other)).isNotNull();
        }
        assertThat(Stocks.take(other)).isNull();
        Stocks.free(closing, pending);
        assertThat(Stocks.take(other)).isSameAs(pending);
        assertThat(table.inUse()).isEqualTo(64);
    }

    /** After a burst the slots that were made first are used, which are the fewest. */
    @Test
    void burstLeavesFewAtHand() {
        OperationTable table = new OperationTable(1 << 14);
        OperationStock stock = stockOf(table);
        List<CoreOperation> taken = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            taken.add(Stocks.take(stock));
        }
        taken.forEach(operation -> Stocks.free(stock, operation));
        assertThat(stock.size()).isLessThan(300);
        assertThat(table.inUse()).isZero();
    }
}
