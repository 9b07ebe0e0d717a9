package org.jbmi.zbmi.protocol;

/**
 * The words through which a client claims its grants and the engine takes unclaimed ones back. One
 * word stands for one stream of grants that must keep their order: those of one (tag, direction),
 * or those of unexpected messages.
 *
 * <pre>
 *   63                              33 32                                1   0
 *   +---------------------------------+----------------------------------+---+
 *   | generation of the window        | grants claimed so far            | C |   C: closed
 *   +---------------------------------+----------------------------------+---+
 * </pre>
 *
 * <p>A grant is an offer until its client claims it. The client swaps the word from "n claimed" to
 * "n+1 claimed", where n is the number of the grant in its window. Only then it moves bytes.
 *
 * <p>The engine withdraws all unclaimed offers of a window at once by swapping the word to
 * "closed". Exactly one of the two swaps wins, without a message. Since the count only goes up by
 * one, clients claim the offers of a window in the order in which the engine made them.
 */
public final class GrantWindow {
    private static final long CLOSED = 1;
    private static final int GENERATION_SHIFT = 33;
    private static final long CLAIMED_MASK = 0xffff_ffffL;
    private static final int GENERATION_MASK = 0x7fff_ffff;

    private GrantWindow() {}

    /**
     * The word of an open window.
     *
     * @param generation of which the lower 31 bits count
     */
    public static long open(int generation, int claimed) {
        return (long) (generation & GENERATION_MASK) << GENERATION_SHIFT
                | (claimed & CLAIMED_MASK) << 1;
    }

    /** The word that a successful claim leaves behind. */
    public static long claimed(long word) {
        return open(generation(word), claimedCount(word) + 1);
    }

    /** The word that a closed window has. */
    public static long closed(long word) {
        return word | CLOSED;
    }

    /** Whether nothing more can be claimed. */
    public static boolean isClosed(long word) {
        return (word & CLOSED) != 0;
    }

    /** How many grants are claimed. */
    public static int claimedCount(long word) {
        return (int) (word >>> 1);
    }

    /** The generation, 31 bits. */
    public static int generation(long word) {
        return (int) (word >>> GENERATION_SHIFT);
    }
}
