package org.jbmi.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The table of numbers against a map. */
class NumberTableProperties {
    private static final Duration WATCHDOG = Duration.ofSeconds(120);

    private record Step(boolean put, long key) {}

    @Provide
    Arbitrary<List<Step>> programs() {
        // Few numbers, so that they meet: addresses of blocks of 64 bytes, neighbours, and far
        // ones.
        Arbitrary<Long> keys =
                Arbitraries.oneOf(
                        Arbitraries.longs().between(0, 40).map(i -> 0x7f00_0000_0000L + 64 * i),
                        Arbitraries.longs().between(-100, 100),
                        Arbitraries.longs().between(0, 20).map(i -> i << 44));
        return Combinators.combine(Arbitraries.of(true, true, false), keys)
                .as(Step::new)
                .list()
                .ofMaxSize(400);
    }

    @Property(tries = 150)
    void behavesLikeAMap(@ForAll("programs") List<Step> program) {
        assertTimeoutPreemptively(
                WATCHDOG,
                () -> {
                    NumberTable<Object> table = new NumberTable<>();
                    Map<Long, Object> model = new HashMap<>();
                    for (Step step : program) {
                        Object known = model.get(step.key);
                        assertThat(table.get(step.key)).isSameAs(known);
                        if (step.put) {
                            Object value = new Object();
                            table.put(step.key, value);
                            model.put(step.key, value);
                        } else {
                            assertThat(table.remove(step.key)).isSameAs(model.remove(step.key));
                        }
                        assertThat(table.size()).isEqualTo(model.size());
                    }
                    model.forEach((key, value) -> assertThat(table.get(key)).isSameAs(value));
                    assertThat(table.values()).containsExactlyInAnyOrderElementsOf(model.values());
                    for (long key : model.keySet()) {
                        table.remove(key);
                        assertThat(table.get(key)).isNull();
                    }
                    assertThat(table.size()).isZero();
                });
    }

    /** A hash that lost what addresses differ in would need minutes. */
    @Test
    @Timeout(30)
    void findsManyNumbersOfAnyDistanceInConstantTime() {
        int count = 100_000;
        for (long size : new long[] {1, 64, 8192}) {
            NumberTable<Object> table = new NumberTable<>();
            Object[] values = new Object[count];
            for (int i = 0; i < count; i++) {
                values[i] = new Object();
                table.put(0x1000 + size * i, values[i]);
            }
            assertThat(table.size()).isEqualTo(count);
            for (int i = 0; i < count; i++) {
                if (table.get(0x1000 + size * i) != values[i]) {
                    throw new AssertionError("lost at a distance of " + size);
                }
                table.remove(0x1000 + size * i);
            }
            assertThat(table.size()).isZero();
        }
    }
}
