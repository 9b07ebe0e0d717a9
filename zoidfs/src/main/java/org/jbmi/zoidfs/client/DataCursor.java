package org.jbmi.zoidfs.client;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Cuts regions of memory into messages; a message may cover parts of several regions. */
final class DataCursor {
    private final List<MemorySegment> regions;
    private int region;
    private long at;

    DataCursor(List<MemorySegment> regions) {
        this.regions = regions;
    }

    MemorySegment[] next(long sizeBytes) {
        List<MemorySegment> parts = new ArrayList<>();
        long left = sizeBytes;
        while (left > 0) {
            MemorySegment current = regions.get(region);
            long part = Math.min(left, current.byteSize() - at);
            if (part > 0) {
                parts.add(current.asSlice(at, part));
            }
            at += part;
            left -= part;
            if (at == current.byteSize()) {
                region++;
                at = 0;
            }
        }
        return parts.toArray(MemorySegment[]::new);
    }
}
