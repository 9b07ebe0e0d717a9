package org.jbmi.mempool;

/**
 * The header page of a segment file. Little-endian; written by the creator before the file gets its
 * name, the magic last and with release; afterwards only the generation changes, once, to 0.
 *
 * <pre>
 *        0                               8
 *        +-------------------------------+-------------------------------+
 *      0 | magic "JBMISEG1"              | version       | header bytes  |  8
 *        +-------------------------------+-------------------------------+
 *     16 | total bytes                   | generation                    | 24
 *        +-------------------------------+-------------------------------+
 *     32 | owner's process id            | owner's start time, ms        | 40
 *        +-------------------------------+-------------------------------+
 *     48 | created at, ms since 1970 UTC | zeros, reserved               | 56
 *        +-------------------------------+                               |
 *     64 |                                                               |
 *        +---------------------------------------------------------------+
 *   4096 | data: whatever the creator lays out, to the end of the file   |
 *        +---------------------------------------------------------------+
 * </pre>
 *
 * <ul>
 *   <li>The first 64 bytes keep their places in every version, so that a sweep finds the owner of a
 *       file that it could not open.
 *   <li>Total bytes counts the whole file, this page included; it is the file's length, exactly.
 *   <li>The generation is not 0 and differs from that of any segment before. A generation of 0 says
 *       that the owner has given the segment up, and that its content means nothing any more.
 *   <li>The start time is that of {@link Liveness#startTimeMs}, and no date.
 * </ul>
 */
public final class SegmentLayout {
    /** The first eight bytes, "JBMISEG1" in order of address. */
    public static final long MAGIC = 0x3147_4553_494D_424AL;

    /** The version that this code writes, and the only one it opens. */
    public static final int VERSION = 1;

    /** Length of the header page, and where the data starts. */
    public static final int HEADER_BYTES = 4096;

    /** Segments are a whole number of such pages long. */
    public static final int PAGE_BYTES = 4096;

    /** Offset of the magic, 8 bytes. */
    public static final long MAGIC_OFFSET = 0;

    /** Offset of the version, 4 bytes. */
    public static final long VERSION_OFFSET = 8;

    /** Offset of the length of the header page, 4 bytes. */
    public static final long HEADER_BYTES_OFFSET = 12;

    /** Offset of the length of the file, 8 bytes. */
    public static final long TOTAL_BYTES_OFFSET = 16;

    /** Offset of the generation, 8 bytes. */
    public static final long GENERATION_OFFSET = 24;

    /** Offset of the owner's process id, 8 bytes. */
    public static final long OWNER_PID_OFFSET = 32;

    /** Offset of the owner's start time, 8 bytes. */
    public static final long OWNER_START_OFFSET = 40;

    /** Offset of the time of creation, 8 bytes. */
    public static final long CREATED_OFFSET = 48;

    /** The generation of a retired segment. */
    public static final long RETIRED = 0;

    private SegmentLayout() {}
}
