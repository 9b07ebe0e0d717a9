package org.jbmi.mempool;

import java.util.function.Consumer;

/**
 * How to create a segment.
 *
 * @param populate whether to touch every page at once, which takes about one second for each
 *     gigabyte; the first use of a page is then faster
 * @param initializer writes what must be there before anybody can open the segment; offsets are
 *     those of the whole file. It must not touch the header page
 */
public record SegmentOptions(boolean populate, Consumer<SharedMemory> initializer) {

    /**
     * Touches nothing and writes nothing beyond the header.
     *
     * @return the defaults
     */
    public static SegmentOptions defaults() {
        return new SegmentOptions(false, _ -> {});
    }

    /**
     * These options with another choice about touching pages.
     *
     * @param touch whether to touch every page at creation
     * @return the changed options
     */
    public SegmentOptions withPopulate(boolean touch) {
        return new SegmentOptions(touch, initializer);
    }

    /**
     * These options with something to write before the segment is published.
     *
     * @param first called once, in the creating thread
     * @return the changed options
     */
    public SegmentOptions withInitializer(Consumer<SharedMemory> first) {
        return new SegmentOptions(populate, first);
    }
}
