package org.jbmi.zbmi.protocol;

/**
 * A word in which the engine says on which tags something waits: bit {@link #place} of the tag is
 * set while something does. Many tags share a bit. A clear bit means that nothing waits on any of
 * its tags. A set bit says only that something may wait on one of them.
 */
public final class TagBits {
    /** How many bits there are. */
    public static final int PLACES = Long.SIZE;

    private static final int SPREAD = 0x9e37_79b9;
    private static final int PLACE_BITS = 6;

    private TagBits() {}

    /**
     * The bit of a tag.
     *
     * @return 0 to {@link #PLACES} - 1
     */
    public static int place(int tag) {
        return (tag * SPREAD) >>> (Integer.SIZE - PLACE_BITS);
    }

    /**
     * Whether something may wait on a tag.
     *
     * @param word as the engine has stored it
     */
    public static boolean isSet(long word, int tag) {
        return (word >>> place(tag) & 1) != 0;
    }
}
