package org.jbmi.shipper.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** Random types, compiled with the processor, and random values of them. */
class RandomRecordsTest {
    private static final int TYPES = 40;
    private static final int VALUES = Boolean.getBoolean("jbmi.long") ? 5_000 : 100;

    @TempDir private Path folder;

    @Test
    void everyValueOfEveryTypeComesBackAndNoDamageDoesHarm() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("RandomRecordsTest: -Dseed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        RandomTypes types = new RandomTypes(random);
        Map<String, String> sources = new LinkedHashMap<>();
        for (int i = 0; i < TYPES; i++) {
            sources.put("demo.R" + i, types.source(i));
        }
        Compilation compilation = Compilation.of(folder, sources);
        assertThat(compilation.errors()).isEmpty();
        try (URLClassLoader loader = compilation.load()) {
            for (int i = 0; i < TYPES; i++) {
                Class<?> type = loader.loadClass("demo.R" + i);
                for (int k = 0; k < VALUES; k++) {
                    checkOne(type, types.value(type, 0), random);
                }
            }
        }
    }

    private static <T> void checkOne(Class<T> type, Object value, SplittableRandom random) {
        Codec<T> codec = Codec.of(type);
        byte[] bytes = CodecTest.encode(codec, type.cast(value));
        assertThat(RandomTypes.isEqual(value, CodecTest.decode(codec, bytes))).isTrue();
        byte[] damaged = damage(bytes, random);
        assertThatCode(
                        () -> {
                            try {
                                T other = CodecTest.decode(codec, damaged);
                                assertThat(CodecTest.encode(codec, other)).isEqualTo(damaged);
                            } catch (MalformedException expected) {
                                assertThat(expected).hasMessageEndingWith(".");
                            }
                        })
                .doesNotThrowAnyException();
    }

    /** Cut, longer, or with other bits. */
    private static byte[] damage(byte[] bytes, SplittableRandom random) {
        byte[] damaged = java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length + 9));
        for (int i = random.nextInt(4); i > 0 && damaged.length > 0; i--) {
            damaged[random.nextInt(damaged.length)] =
                    (byte) (random.nextBoolean() ? 0xff : random.nextInt());
        }
        return damaged;
    }
}
