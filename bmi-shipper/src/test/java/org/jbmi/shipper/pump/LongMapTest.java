package org.jbmi.shipper.pump;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** Random puts and removals behave as those of a hash map. */
@Timeout(60)
class LongMapTest {
    @Test
    void itBehavesAsAMapOfTheLibrary() {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("LongMapTest: -Dseed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 200; round++) {
            LongMap<Integer> map = new LongMap<>();
            Map<Long, Integer> expected = new HashMap<>();
            int keys = 1 + random.nextInt(80);
            long spread = 1L << random.nextInt(40);
            for (int i = 0; i < 400; i++) {
                long key = (random.nextInt(keys) - keys / 2) * spread;
                switch (random.nextInt(3)) {
                    case 0 -> assertThat(map.remove(key)).isEqualTo(expected.remove(key));
                    case 1 -> assertThat(map.get(key)).isEqualTo(expected.get(key));
                    default -> {
                        map.put(key, i);
                        expected.put(key, i);
                    }
                }
                assertThat(map.size()).isEqualTo(expected.size());
            }
            expected.forEach((key, value) -> assertThat(map.get(key)).isEqualTo(value));
            assertThat(map.values()).containsExactlyInAnyOrderElementsOf(expected.values());
        }
    }
}
