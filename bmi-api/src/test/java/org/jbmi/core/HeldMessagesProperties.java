package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The table of held messages against a map. */
class HeldMessagesProperties {
    private record Step(boolean put, long address) {}

    @Provide
    Arbitrary<List<Step>> programs() {
        // Few addresses, so that they meet; blocks of 64 bytes, neighbours, and far ones.
        Arbitrary<Long> addresses =
                Arbitraries.oneOf(
                        Arbitraries.longs().between(0, 40).map(i -> 0x7f00_0000_0000L + 64 * i),
                        Arbitraries.longs().between(0, 200),
                        Arbitraries.longs().between(0, 20).map(i -> i << 44));
        return Combinators.combine(Arbitraries.of(true, true, false), addresses)
                .as(Step::new)
                .list()
                .ofMaxSize(400);
    }

    @Property(tries = 150)
    void behavesLikeAMap(@ForAll("programs") List<Step> program) {
        HeldMessages held = new HeldMessages();
        Map<Long, CoreUnexpectedBuffer> model = new HashMap<>();
        for (Step step : program) {
            CoreUnexpectedBuffer known = model.get(step.address);
            assertThat(held.get(step.address)).isSameAs(known);
            if (step.put && known == null) {
                CoreUnexpectedBuffer buffer = buffer(step.address);
                held.put(buffer);
                model.put(step.address, buffer);
            } else if (!step.put && known != null) {
                held.remove(known);
                model.remove(step.address);
            } else {
                held.remove(buffer(step.address)); // no message of this table: nothing happens
            }
            assertThat(held.size()).isEqualTo(model.size());
        }
        model.forEach((address, buffer) -> assertThat(held.get(address)).isSameAs(buffer));
        for (CoreUnexpectedBuffer buffer : model.values()) {
            held.remove(buffer);
            assertThat(held.get(buffer.address())).isNull();
        }
        assertThat(held.size()).isZero();
    }

    /** A hash that lost what addresses differ in would need minutes. */
    @Test
    @Timeout(30)
    void findsManyMessagesOfAnySizeInConstantTime() {
        int count = 100_000;
        for (long size : new long[] {1, 64, 8192}) {
            HeldMessages held = new HeldMessages();
            CoreUnexpectedBuffer[] buffers = new CoreUnexpectedBuffer[count];
            for (int i = 0; i < count; i++) {
                buffers[i] = buffer(0x1000 + size * i);
                held.put(buffers[i]);
            }
            assertThat(held.size()).isEqualTo(count);
            for (CoreUnexpectedBuffer buffer : buffers) {
                if (held.get(buffer.address()) != buffer) {
                    throw new AssertionError("lost at a distance of " + size);
                }
                held.remove(buffer);
            }
            assertThat(held.size()).isZero();
        }
    }

    private static CoreUnexpectedBuffer buffer(long address) {
        CoreUnexpectedBuffer buffer = new CoreUnexpectedBuffer(null, null);
        buffer.memory = MemorySegment.ofAddress(address);
        return buffer;
    }
}
