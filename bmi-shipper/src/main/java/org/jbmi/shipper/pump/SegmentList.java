package org.jbmi.shipper.pump;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Segments, seen as one row of bytes. Immutable. */
public final class SegmentList {
    private final MemorySegment[] segments;

    /** Where each segment begins; one more than there are, the last one is the size. */
    private final long[] starts;

    /**
     * Puts segments one behind the other.
     *
     * @param segments in order; may be empty, may overlap
     */
    public SegmentList(List<MemorySegment> segments) {
        this.segments = segments.toArray(MemorySegment[]::new);
        starts = new long[this.segments.length + 1];
        for (int i = 0; i < this.segments.length; i++) {
            starts[i + 1] = Math.addExact(starts[i], this.segments[i].byteSize());
        }
    }

    /** The sum of their sizes. */
    public long sizeBytes() {
        return starts[segments.length];
    }

    /** Does something with each segment. */
    public void forEach(Consumer<MemorySegment> action) {
        for (MemorySegment segment : segments) {
            action.accept(segment);
        }
    }

    /** Whether a range lies inside. */
    public boolean contains(long offset, long length) {
        return offset >= 0 && length >= 0 && offset <= sizeBytes() - length;
    }

    /** The parts of a range in order, none of them empty, at least one. */
    public MemorySegment[] slices(long offset, long length) {
        if (!contains(offset, length)) {
            throw new IndexOutOfBoundsException(
                    "%d bytes at %d do not lie in %d.".formatted(length, offset, sizeBytes()));
        }
        if (length == 0) {
            return new MemorySegment[] {MemorySegment.ofArray(new byte[0])};
        }
        int first = indexOf(offset);
        int last = indexOf(offset + length - 1);
        MemorySegment[] parts = new MemorySegment[last - first + 1];
        int count = 0;
        for (int i = first; i <= last; i++) {
            long from = Math.max(offset, starts[i]);
            long to = Math.min(offset + length, starts[i + 1]);
            if (to > from) {
                parts[count++] = segments[i].asSlice(from - starts[i], to - from);
            }
        }
        return count == parts.length ? parts : Arrays.copyOf(parts, count);
    }

    /** The segment that holds a byte; of those that begin there the last one, which has it. */
    private int indexOf(long offset) {
        int low = 0;
        int high = segments.length - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (starts[middle] <= offset) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** Whether a byte of it is also a byte of another segment. */
    public boolean overlaps(MemorySegment other) {
        for (MemorySegment segment : segments) {
            if (segment.asOverlappingSlice(other).isPresent()) {
                return true;
            }
        }
        return false;
    }

    /** Copies a range out. */
    public void copyTo(long offset, MemorySegment target, long length) {
        long at = 0;
        for (MemorySegment part : slices(offset, length)) {
            MemorySegment.copy(part, 0, target, at, part.byteSize());
            at += part.byteSize();
        }
    }

    /**
     * Copies bytes in.
     *
     * @param offset where to
     * @param from where they begin in it
     */
    public void copyFrom(long offset, byte[] source, int from, int length) {
        int at = from;
        for (MemorySegment part : slices(offset, length)) {
            int size = (int) part.byteSize();
            MemorySegment.copy(source, at, part, ValueLayout.JAVA_BYTE, 0, size);
            at += size;
        }
    }
}
