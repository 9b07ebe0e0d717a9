package org.jbmi.rig.perf.command;

import org.jbmi.tools.text.Quantities;

import java.util.ArrayList;
import java.util.List;

/**
 * The sizes to measure: one, or a sweep.
 *
 * @param all in bytes, the least first
 */
public record ByteSizes(List<Integer> all) {
    /** The largest message. */
    static final long MAX_BYTES = 1L << 30;

    private static final String TO = "..";
    private static final int FACTOR = 4;

    /**
     * Reads one size, or two with {@code ..} between them for a sweep.
     *
     * @param text for example {@code 64}, {@code 4k}, {@code 1..4M}
     * @return the sizes; those between the two are four times as large each
     * @throws IllegalArgumentException with a message if the text is anything else
     */
    static ByteSizes parse(String text) {
        int middle = text.indexOf(TO);
        if (middle < 0) {
            return new ByteSizes(List.of(size(text)));
        }
        int first = size(text.substring(0, middle));
        int last = size(text.substring(middle + TO.length()));
        if (first > last) {
            throw new IllegalArgumentException(
                    "A sweep goes from the smaller size to the larger, not '" + text + "'");
        }
        List<Integer> sizes = new ArrayList<>();
        for (long size = first; size < last; size *= FACTOR) {
            sizes.add((int) size);
        }
        sizes.add(last);
        return new ByteSizes(List.copyOf(sizes));
    }

    private static int size(String text) {
        long bytes = Quantities.parseBytes(text);
        if (bytes < 1 || bytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "A message has 1 byte to 1 GiB here, not '" + text + "'");
        }
        return (int) bytes;
    }
}
