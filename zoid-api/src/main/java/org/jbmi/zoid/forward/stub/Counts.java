package org.jbmi.zoid.forward.stub;

/** The sizes of arrays, as numbers that can be trusted. */
public final class Counts {
    private Counts() {}

    /**
     * Checks a size.
     *
     * @param array whose size it is
     * @param count what the size parameter says
     * @param room how many elements there are
     * @return the size
     * @throws IllegalArgumentException if there are not so many
     */
    public static long of(String array, long count, long room) {
        if (count < 0 || count > Math.min(room, Integer.MAX_VALUE)) {
            throw new IllegalArgumentException(
                    "'%s' is said to have %d elements, and has %d.".formatted(array, count, room));
        }
        return count;
    }

    /**
     * Checks that there are as many inner arrays as there are sizes.
     *
     * @param array whose sizes they are
     * @param sizes the sizes
     * @param inner the inner arrays
     * @return the sizes
     * @throws IllegalArgumentException if there are fewer, or if one is missing
     */
    public static long[] of(String array, long[] sizes, Object[] inner) {
        of(array, sizes.length, inner.length);
        for (int i = 0; i < sizes.length; i++) {
            if (inner[i] == null) {
                throw new IllegalArgumentException("'%s[%d]' is null.".formatted(array, i));
            }
        }
        return sizes;
    }

    /**
     * Widens sizes of inner arrays.
     *
     * @param sizes as they are
     * @return a copy
     */
    public static long[] of(short[] sizes) {
        long[] copy = new long[sizes.length];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = sizes[i];
        }
        return copy;
    }

    /**
     * Widens sizes of inner arrays.
     *
     * @param sizes as they are
     * @return a copy
     */
    public static long[] of(int[] sizes) {
        long[] copy = new long[sizes.length];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = sizes[i];
        }
        return copy;
    }

    /**
     * Widens sizes of inner arrays.
     *
     * @param sizes as they are
     * @return a copy
     */
    public static long[] of(byte[] sizes) {
        long[] copy = new long[sizes.length];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = sizes[i];
        }
        return copy;
    }

    /**
     * Copies sizes of inner arrays, so that a function that changes them changes no copy.
     *
     * @param sizes as they are
     * @return a copy
     */
    public static long[] of(long[] sizes) {
        return sizes.clone();
    }
}
