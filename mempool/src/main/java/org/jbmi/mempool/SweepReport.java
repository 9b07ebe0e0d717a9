package org.jbmi.mempool;

import java.nio.file.Path;
import java.util.List;

/**
 * What a sweep for leftover segments did.
 *
 * @param removed files of owners that are dead; they are gone
 * @param alive files of owners that live, in this process namespace or another; untouched
 * @param left files that only share the prefix, or could not be judged or removed; untouched
 */
public record SweepReport(List<Path> removed, List<Path> alive, List<Left> left) {

    /** Keeps copies of the lists. */
    public SweepReport {
        removed = List.copyOf(removed);
        alive = List.copyOf(alive);
        left = List.copyOf(left);
    }

    /**
     * A file that the sweep did not touch.
     *
     * @param file its path
     * @param reason why, as a sentence part
     */
    public record Left(Path file, String reason) {}
}
