package org.jbmi.spi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;

/** Copies between operations with lists of buffers. */
@Timeout(30)
class PayloadsTest {
    /** An operation with a list. */
    private static final class Listed extends Operation {
        Listed(MemorySegment... buffers) {
            list = buffers;
            bufferCount = buffers.length;
            sizeBytes = Arrays.stream(buffers).mapToLong(MemorySegment::byteSize).sum();
        }
    }

    /** Cuts memory into pieces, some of them empty. */
    private static MemorySegment[] cut(MemorySegment whole, int count, Random random) {
        long[] ends = random.longs(count, 0, whole.byteSize() + 1).sorted().toArray();
        ends[count - 1] = whole.byteSize();
        MemorySegment[] pieces = new MemorySegment[count];
        for (int i = 0; i < count; i++) {
            long begin = i == 0 ? 0 : ends[i - 1];
            pieces[i] = whole.asSlice(begin, ends[i] - begin);
        }
        return pieces;
    }

    @Test
    void aMessageArrivesWhereverTheListsAreCut() {
        long seed = System.nanoTime();
        System.out.println("PayloadsTest seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 500; round++) {
            byte[] message = new byte[random.nextInt(60)];
            random.nextBytes(message);
            byte[] room = new byte[message.length + random.nextInt(10)];
            MemorySegment[] from =
                    cut(MemorySegment.ofArray(message), 1 + random.nextInt(12), random);
            MemorySegment[] to = cut(MemorySegment.ofArray(room), 2 + random.nextInt(12), random);
            Payloads.copyUncounted(new Listed(from), new Listed(to));
            assertThat(Arrays.copyOf(room, message.length)).as("seed %d", seed).isEqualTo(message);
            assertThat(Arrays.copyOfRange(room, message.length, room.length))
                    .as("seed %d", seed)
                    .isEqualTo(new byte[room.length - message.length]);
        }
    }

    /** The work is the sum of both lists: their product would take minutes. */
    @Test
    void longListsAreCopiedOnce() {
        int count = 1 << 18;
        MemorySegment source = MemorySegment.ofArray(new byte[] {1, 2});
        MemorySegment target = MemorySegment.ofArray(new byte[2]);
        MemorySegment[] from = new MemorySegment[count];
        MemorySegment[] to = new MemorySegment[count];
        Arrays.fill(from, source);
        Arrays.fill(to, target);
        Payloads.copyUncounted(new Listed(from), new Listed(to));
        assertThat(target.toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 2);
    }
}
