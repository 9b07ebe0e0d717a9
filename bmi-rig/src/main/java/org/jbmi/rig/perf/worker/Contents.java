package org.jbmi.rig.perf.worker;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The contents of a checked message: its first word is a seed, and each further word follows from
 * the seed and its position. A message shorter than a word has the low bytes of the seed.
 */
public final class Contents {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final long STEP = 0x9e3779b97f4a7c15L;
    private static final int LINE_BYTES = 64;

    private Contents() {}

    /** Fills a message. */
    public static void fill(MemorySegment message, long seed) {
        long size = message.byteSize();
        long offset = 0;
        long word = seed;
        for (; offset + Long.BYTES <= size; offset += Long.BYTES) {
            message.set(LONG, offset, word);
            word += STEP;
        }
        for (; offset < size; offset++) {
            message.set(ValueLayout.JAVA_BYTE, offset, (byte) word);
            word >>>= Byte.SIZE;
        }
    }

    /** {@return the seed in the first word of a message, as far as it fits} */
    public static long seedOf(MemorySegment memory, long offset, long size) {
        if (size >= Long.BYTES) {
            return memory.get(LONG, offset);
        }
        long seed = 0;
        for (int i = 0; i < size; i++) {
            seed |= (memory.get(ValueLayout.JAVA_BYTE, offset + i) & 0xffL) << (i * Byte.SIZE);
        }
        return seed;
    }

    /** {@return the sum, modulo 2^64, of {@link #seedOf} for messages with the seeds 0, 1, ...} */
    static long sumOfSeeds(long count, long size) {
        if (size >= Integer.BYTES) {
            return sumBelow(count); // fewer than 2^32 messages: their seeds fit
        }
        long seeds = 1L << (size * Byte.SIZE);
        return count / seeds * sumBelow(seeds) + sumBelow(count % seeds);
    }

    private static long sumBelow(long end) {
        return end * (end - 1) / 2;
    }

    /** Checks a message. */
    public static boolean isRight(MemorySegment memory, long begin, long size, long seed) {
        long offset = 0;
        long word = seed;
        for (; offset + Long.BYTES <= size; offset += Long.BYTES) {
            if (memory.get(LONG, begin + offset) != word) {
                return false;
            }
            word += STEP;
        }
        for (; offset < size; offset++) {
            if (memory.get(ValueLayout.JAVA_BYTE, begin + offset) != (byte) word) {
                return false;
            }
            word >>>= Byte.SIZE;
        }
        return true;
    }

    /**
     * Reads a word of each cache line, like a program that uses a message in place.
     *
     * @return their sum, so that the JIT compiler keeps the reads
     */
    public static long readLines(MemorySegment memory, long begin, long size) {
        long sum = 0;
        for (long offset = 0; offset + Long.BYTES <= size; offset += LINE_BYTES) {
            sum += memory.get(LONG, begin + offset);
        }
        return sum;
    }
}
