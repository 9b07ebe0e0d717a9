package org.jbmi.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

class SlotTableTest {
    private static final Duration WATCHDOG = Duration.ofSeconds(120);
    private static final int SLOT_BITS = 4;
    private static final int MOST = 10;

    private static final class Record extends SlotTable.Slot {
        Record(int index) {
            super(index);
        }
    }

    private static SlotTable<Record> table(int generationBits) {
        return new SlotTable<>(SLOT_BITS, generationBits, MOST, Record::new);
    }

    private static Record take(SlotTable<Record> table) {
        return Objects.requireNonNull(table.take());
    }

    /** Against a map, with generations that soon come round. 0 to 5 takes, else releases. */
    @Property(tries = 300)
    void findsWhatIsInUseAndNothingElse(
            @ForAll @Size(max = 120) List<@IntRange(max = 10) Integer> program) {
        assertTimeoutPreemptively(
                WATCHDOG,
                () -> {
                    SlotTable<Record> table = table(3);
                    Map<Long, Record> model = new LinkedHashMap<>();
                    for (int step : program) {
                        if (step < 6) {
                            @Nullable Record taken = table.take();
                            assertThat(taken == null).isEqualTo(model.size() == MOST);
                            if (taken != null) {
                                assertThat(taken.reference()).isPositive();
                                assertThat(model.put(taken.reference(), taken))
                                        .as("two of a name")
                                        .isNull();
                            }
                        } else if (!model.isEmpty()) {
                            List<Long> references = new ArrayList<>(model.keySet());
                            long released = references.get(step % references.size());
                            table.release(Objects.requireNonNull(model.remove(released)));
                            assertThat(table.find(released)).as("released").isNull();
                        }
                        assertThat(table.used()).isEqualTo(model.size());
                        assertThat(table.made()).isBetween(model.size(), MOST);
                    }
                    // Whatever a peer names, it meets a record under its present reference or none.
                    for (long reference = -300; reference < 300; reference++) {
                        assertThat(table.find(reference)).isSameAs(model.get(reference));
                    }
                    for (int index = 0; index < MOST; index++) {
                        Record inUse = table.inUse(index);
                        assertThat(inUse == null || model.get(inUse.reference()) == inUse).isTrue();
                        assertThat(inUse == null || inUse.index() == index).isTrue();
                    }
                });
    }

    @Test
    void referencesOfNoTableAreNotFound() {
        SlotTable<Record> table = new SlotTable<>(Integer.SIZE, 31, 100, Record::new);
        Record record = take(table);
        assertThat(record.reference()).isEqualTo(1L << Integer.SIZE);
        assertThat(table.find(record.reference())).isSameAs(record);
        for (long far :
                new long[] {
                    0,
                    -1,
                    Long.MIN_VALUE,
                    Long.MAX_VALUE,
                    -record.reference(),
                    1L << Integer.SIZE | 1,
                    1L << Integer.SIZE | 99,
                    1L << Integer.SIZE | 0xffff_ffffL,
                    2L << Integer.SIZE
                }) {
            assertThat(table.find(far)).as("%x", far).isNull();
        }
        table.release(record);
        assertThat(table.find(2L << Integer.SIZE)).as("its next use, which has not come").isNull();
    }

    @Test
    void theGenerationComesRoundWithoutPassingZero() {
        SlotTable<Record> table = table(2);
        List<Long> seen = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Record record = take(table);
            seen.add(record.reference() >>> SLOT_BITS);
            assertThat(table.find(record.reference())).isSameAs(record);
            table.release(record);
        }
        assertThat(seen).containsExactly(1L, 2L, 3L, 1L);
    }

    @Test
    void theLongestReferenceIsPositive() {
        SlotTable<Record> table = new SlotTable<>(1, 62, 2, Record::new);
        take(table);
        assertThat(take(table).reference()).isEqualTo(3);
        assertThatThrownBy(() -> new SlotTable<>(1, 63, 2, Record::new))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SlotTable<>(1, 2, 3, Record::new))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void growsToItsBoundAndUsesRecordsAgain() {
        SlotTable<Record> table = new SlotTable<>(10, 20, 1000, Record::new);
        Set<Record> all = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            all.add(take(table));
        }
        assertThat(all).hasSize(1000);
        assertThat(table.take()).isNull();
        Set<Record> met = new HashSet<>();
        table.forEach(met::add);
        assertThat(met).isEqualTo(all);
        all.forEach(table::release);
        assertThat(table.used()).isZero();
        for (int i = 0; i < 1000; i++) {
            assertThat(all).contains(take(table));
        }
        assertThat(table.made()).isEqualTo(1000);
        assertThat(new SlotTable<>(1, 1, 0, Record::new).take()).isNull();
    }

    @Test
    void oneThatIsReleasedTwiceIsNoticed() {
        SlotTable<Record> table = table(4);
        Record record = take(table);
        table.release(record);
        assertThatThrownBy(() -> table.release(record)).isInstanceOf(IllegalStateException.class);
        assertThat(table.used()).isZero();
    }
}
