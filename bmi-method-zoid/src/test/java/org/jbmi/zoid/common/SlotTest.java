package org.jbmi.zoid.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;
import org.jbmi.spi.Operation;
import org.jbmi.spi.SlotTable;
import org.junit.jupiter.api.Test;

import java.util.Objects;

class SlotTest {
    private static final class TestOperation extends Operation {}

    private static final Counter ERRORS = Counters.inMemory().register(1, "errors", "messages");

    private static final class TestSlot extends Slot {
        private int resets;

        TestSlot(int index) {
            super(index, ERRORS);
        }

        @Override
        protected void reset() {
            super.reset();
            resets++;
        }
    }

    private final SlotTable<TestSlot> table = Slot.table(100, TestSlot::new);

    private TestSlot take(Operation operation) {
        return Objects.requireNonNull(Slot.take(table, operation));
    }

    @Test
    void belongsToAnOperationUntilItIsReleased() {
        Operation operation = new TestOperation();
        TestSlot slot = take(operation);
        long reference = slot.reference();
        assertThat(slot.operation()).isSameAs(operation);
        assertThat(slot.isOf(operation)).isTrue();
        assertThat(slot.resets).isEqualTo(1);
        assertThat((int) reference).as("its number").isZero();
        assertThat(table.find(reference)).isSameAs(slot);
        Slot.release(table, slot);
        assertThat(slot.operationOrNull()).isNull();
        assertThat(slot.isOf(operation)).isFalse();
        assertThatThrownBy(slot::operation).isInstanceOf(NullPointerException.class);
        assertThat(table.find(reference)).isNull();
        assertThat(take(operation).resets).isEqualTo(2);
    }

    @Test
    void deferredSlotsComeOutInOrder() {
        DeferredSlots<TestSlot> deferred = new DeferredSlots<>();
        TestSlot a = take(new TestOperation());
        TestSlot b = take(new TestOperation());
        assertThat(deferred.poll()).isNull();
        deferred.add(a);
        deferred.add(b);
        assertThat(deferred.poll()).isSameAs(a);
        deferred.add(a);
        assertThat(deferred.poll()).isSameAs(b);
        assertThat(deferred.poll()).isSameAs(a);
        assertThat(deferred.poll()).isNull();
    }
}
