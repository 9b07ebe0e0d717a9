package org.jbmi.zoid.common;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.spi.Operation;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

class SlotTableTest {
    private static final class TestOperation extends Operation {}

    private static final class TestSlot extends Slot {
        TestSlot(int index) {
            super(index);
        }

        @Override
        protected void reset() {}
    }

    private final SlotTable<TestSlot> table = new SlotTable<>(TestSlot.class, 100, TestSlot::new);

    private TestSlot take() {
        return Objects.requireNonNull(table.take(new TestOperation()));
    }

    @Test
    void findsASlotByItsReferenceUntilItIsReleased() {
        TestSlot slot = take();
        long reference = slot.reference();
        assertThat(table.find(reference)).isSameAs(slot);
        table.release(slot);
        assertThat(table.find(reference)).isNull();
        assertThat(take().reference()).isNotEqualTo(reference).isPositive();
    }

    @Test
    void isBounded() {
        for (int i = 0; i < 100; i++) {
            take();
        }
        assertThat(table.used()).isEqualTo(100);
        assertThat(table.take(new TestOperation())).isNull();
    }

    @Test
    void neverFindsWhatIsNotThere() {
        take();
        for (long nonsense : new long[] {0, -1, 1L << 32 | 99, Long.MAX_VALUE, 1L << 32 | 5}) {
            assertThat(table.find(nonsense)).isNull();
        }
    }

    @Test
    void referencesDoNotComeBackSoon() {
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            TestSlot slot = take();
            assertThat(seen.add(slot.reference())).isTrue();
            table.release(slot);
        }
    }

    @Test
    void deferredSlotsComeOutInOrder() {
        DeferredSlots<TestSlot> deferred = new DeferredSlots<>();
        TestSlot a = take();
        TestSlot b = take();
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
