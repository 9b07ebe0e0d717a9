package org.jbmi.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The set of counters and its layout, which other programs read. */
@Timeout(30)
class CountersTest {
    @Test
    void layoutIsTheDocumentedOne() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(3 * 256, 256);
            Counters counters = Counters.over(memory);
            counters.register(4711, "a.label", "bytes").add(-5);
            counters.register(7, "b", "messages").add(3);

            byte[] magic = memory.asSlice(0, 8).toArray(ValueLayout.JAVA_BYTE);
            assertThat(new String(magic, StandardCharsets.US_ASCII)).isEqualTo("JBMICNT1");
            assertThat(memory.get(ValueLayout.JAVA_INT, 8)).isEqualTo(1);
            assertThat(memory.get(ValueLayout.JAVA_INT, 12)).isEqualTo(2);
            assertThat(memory.get(ValueLayout.JAVA_INT, 16)).isEqualTo(2);
            assertThat(memory.get(ValueLayout.JAVA_LONG, 24))
                    .isEqualTo(ProcessHandle.current().pid());

            assertThat(memory.get(ValueLayout.JAVA_LONG, 256)).isEqualTo(-5);
            assertThat(memory.get(ValueLayout.JAVA_INT, 256 + 128)).isEqualTo(4711);
            assertThat(memory.get(ValueLayout.JAVA_INT, 256 + 132)).isEqualTo(1);
            assertThat(memory.get(ValueLayout.JAVA_SHORT, 256 + 136)).isEqualTo((short) 5);
            assertThat(text(memory, 256 + 138, 5)).isEqualTo("bytes");
            assertThat(memory.get(ValueLayout.JAVA_SHORT, 256 + 160)).isEqualTo((short) 7);
            assertThat(text(memory, 256 + 162, 7)).isEqualTo("a.label");
            assertThat(memory.get(ValueLayout.JAVA_LONG, 512)).isEqualTo(3);
        }
    }

    private static String text(MemorySegment memory, long offset, int length) {
        byte[] bytes = memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void textsAreBoundedInBytes() {
        Counters counters = Counters.inMemory();
        counters.register(1, "x".repeat(94), "u".repeat(22));
        assertRefused(() -> counters.register(2, "x".repeat(95), "u"), ErrorCode.EINVAL);
        assertRefused(() -> counters.register(3, "y", "u".repeat(23)), ErrorCode.EINVAL);
        assertRefused(() -> counters.register(4, "ü".repeat(48), "u"), ErrorCode.EINVAL);
        counters.register(5, "ü".repeat(47), "u");

        assertThat(counters.all()).extracting(c -> c.spec().id()).containsExactly(1, 5);
    }

    @Test
    void sameLabelIsTheSameCounter() {
        Counters counters = Counters.inMemory();
        Counter first = counters.register(1, "a", "bytes");
        assertThat(counters.register(1, "a", "bytes")).isSameAs(first);
        assertThat(counters.find("a")).isSameAs(first);
        assertThat(counters.find("b")).isNull();
        first.increment();
        first.add(10);
        assertThat(first.get()).isEqualTo(11);
        assertThat(first.spec()).isEqualTo(new CounterSpec(1, "a", "bytes"));
    }

    @Test
    void aSingleWriterAddsToWhatItHasSet() {
        Counter gauge = Counters.inMemory().register(1, "a", "bytes");
        gauge.addBySingleWriter(10);
        assertThat(gauge.get()).isEqualTo(10);
        gauge.set(-1);
        assertThat(gauge.get()).isEqualTo(-1);
        gauge.addBySingleWriter(-2);
        assertThat(gauge.get()).isEqualTo(-3);
    }

    @Test
    void fullSetRefusesAndKeepsWhatItHas() {
        try (Arena arena = Arena.ofConfined()) {
            Counters counters = Counters.over(arena.allocate(2 * 256 + 255, 256));
            Counter only = counters.register(1, "a", "x");
            assertRefused(() -> counters.register(2, "b", "x"), ErrorCode.ENOBUFS);
            assertThat(counters.register(1, "a", "x")).isSameAs(only);
        }
    }

    @Test
    void unfitMemoryIsRefused() {
        try (Arena arena = Arena.ofConfined()) {
            assertRefused(() -> Counters.over(arena.allocate(511, 256)), ErrorCode.EINVAL);
            MemorySegment crooked = arena.allocate(4096, 256).asSlice(8);
            assertRefused(() -> Counters.over(crooked), ErrorCode.EINVAL);
        }
    }

    @Test
    void threadsLoseNoCount() throws InterruptedException {
        Counter counter = Counters.inMemory().register(1, "a", "x");
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            threads.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int i = 0; i < 100_000; i++) {
                                            counter.increment();
                                        }
                                    }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(counter.get()).isEqualTo(400_000);
    }

    private static void assertRefused(Runnable call, ErrorCode code) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        BmiException.class, e -> assertThat(e.code()).isEqualTo(code));
    }
}
