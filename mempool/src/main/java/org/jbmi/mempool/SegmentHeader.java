package org.jbmi.mempool;

import static org.jbmi.mempool.SegmentLayout.CREATED_OFFSET;
import static org.jbmi.mempool.SegmentLayout.GENERATION_OFFSET;
import static org.jbmi.mempool.SegmentLayout.HEADER_BYTES;
import static org.jbmi.mempool.SegmentLayout.HEADER_BYTES_OFFSET;
import static org.jbmi.mempool.SegmentLayout.MAGIC;
import static org.jbmi.mempool.SegmentLayout.MAGIC_OFFSET;
import static org.jbmi.mempool.SegmentLayout.OWNER_PID_OFFSET;
import static org.jbmi.mempool.SegmentLayout.OWNER_START_OFFSET;
import static org.jbmi.mempool.SegmentLayout.RETIRED;
import static org.jbmi.mempool.SegmentLayout.TOTAL_BYTES_OFFSET;
import static org.jbmi.mempool.SegmentLayout.VERSION;
import static org.jbmi.mempool.SegmentLayout.VERSION_OFFSET;

import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * The content of a header page; each word was read once.
 *
 * @param magic first word
 * @param version of the layout
 * @param headerBytes length of the header page
 * @param totalBytes length of the file
 * @param generation of the segment, 0 if retired
 * @param ownerPid process that created it
 * @param ownerStartTimeMs when that process started
 */
record SegmentHeader(
        long magic,
        int version,
        int headerBytes,
        long totalBytes,
        long generation,
        long ownerPid,
        long ownerStartTimeMs) {

    static SegmentHeader read(SharedMemory memory) {
        long magic = memory.getLongAcquire(MAGIC_OFFSET);
        return new SegmentHeader(
                magic,
                memory.getIntPlain(VERSION_OFFSET),
                memory.getIntPlain(HEADER_BYTES_OFFSET),
                memory.getLongPlain(TOTAL_BYTES_OFFSET),
                memory.getLongVolatile(GENERATION_OFFSET),
                memory.getLongPlain(OWNER_PID_OFFSET),
                memory.getLongPlain(OWNER_START_OFFSET));
    }

    /** The header of a new segment that this process owns. */
    static SegmentHeader ofThisProcess(long totalBytes, Liveness liveness) {
        long pid = ProcessHandle.current().pid();
        return new SegmentHeader(
                MAGIC,
                VERSION,
                HEADER_BYTES,
                totalBytes,
                newGeneration(pid),
                pid,
                liveness.startTimeMs(pid));
    }

    /** Writes all but the magic: to be followed by {@link #publish}. */
    void writeUnpublished(SharedMemory memory) {
        memory.setIntPlain(VERSION_OFFSET, version);
        memory.setIntPlain(HEADER_BYTES_OFFSET, headerBytes);
        memory.setLongPlain(TOTAL_BYTES_OFFSET, totalBytes);
        memory.setLongPlain(GENERATION_OFFSET, generation);
        memory.setLongPlain(OWNER_PID_OFFSET, ownerPid);
        memory.setLongPlain(OWNER_START_OFFSET, ownerStartTimeMs);
        memory.setLongPlain(CREATED_OFFSET, System.currentTimeMillis());
    }

    void publish(SharedMemory memory) {
        memory.setLongRelease(MAGIC_OFFSET, magic);
    }

    /** Refuses a segment of another version, or a damaged one. */
    void check(Path file, long fileBytes) {
        if (magic != MAGIC) {
            throw malformed(file, "it is not a segment: its first bytes are not the magic");
        }
        if (version != VERSION) {
            throw malformed(
                    file, "its layout is version " + version + ", and this is version " + VERSION);
        }
        if (headerBytes != HEADER_BYTES) {
            throw malformed(file, "its header claims " + headerBytes + " bytes");
        }
        if (totalBytes != fileBytes) {
            throw malformed(
                    file,
                    "its header says " + totalBytes + " bytes, and the file has " + fileBytes);
        }
        if (generation == RETIRED) {
            throw new SegmentException(
                    SegmentException.Kind.NOT_FOUND,
                    "cannot open segment "
                            + file
                            + ": its owner, process "
                            + ownerPid
                            + ", has given it up");
        }
    }

    static SegmentException malformed(Path file, String why) {
        return new SegmentException(
                SegmentException.Kind.MALFORMED, "cannot open segment " + file + ": " + why);
    }

    // Two clocks and the process id are used, so that no two segments of a host start from one
    // seed.
    private static long newGeneration(long pid) {
        long seed = System.nanoTime() ^ Long.rotateLeft(System.currentTimeMillis(), 24);
        SplittableRandom random = new SplittableRandom(seed ^ Long.rotateLeft(pid, 48));
        long generation;
        do {
            generation = random.nextLong();
        } while (generation == RETIRED);
        return generation;
    }
}
