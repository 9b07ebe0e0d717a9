package org.jbmi.zbmi.protocol;

/**
 * The numbers from which every offset of a zbmi segment follows. The host chooses them; a peer gets
 * them in its handshake and checks them again before it uses them.
 *
 * @param maxClients client sessions there is room for, 1 to {@value #MAX_CLIENTS}
 * @param clientLaneSlots slots of each of the two lanes of a client, a power of two
 * @param serverLaneSlots slots of each of the two lanes of the server, a power of two
 * @param eagerSlots eager slots of a client, 0 to {@value #MAX_EAGER_SLOTS}
 * @param eagerSlotBytes size of each, a multiple of 64
 * @param unexpectedBytes size of the region for unexpected messages, a multiple of 4096
 * @param expectedBytes size of the region for expected messages, a multiple of 4096
 */
public record SegmentGeometry(
        int maxClients,
        int clientLaneSlots,
        int serverLaneSlots,
        int eagerSlots,
        int eagerSlotBytes,
        long unexpectedBytes,
        long expectedBytes) {

    /** Most client sessions a segment can have. */
    public static final int MAX_CLIENTS = 1007;

    /** Most eager slots a client can have. */
    public static final int MAX_EAGER_SLOTS = 64;

    /** Least memory of a message in the region for unexpected messages. */
    public static final int UNEXPECTED_UNIT_BYTES = 64;

    static final int MIN_LANE_SLOTS = 16;
    static final int MAX_LANE_SLOTS = 1 << 16;
    static final int MAX_EAGER_SLOT_BYTES = 1 << 16;
    static final long MAX_REGION_BYTES = 1L << 40;

    /**
     * Checks every number.
     *
     * @throws IllegalArgumentException for one out of bounds, in words
     */
    public SegmentGeometry {
        require(maxClients >= 1 && maxClients <= MAX_CLIENTS, "clients", maxClients);
        requireSlots("slots of a client's lane", clientLaneSlots);
        requireSlots("slots of the server's lane", serverLaneSlots);
        require(eagerSlots >= 0 && eagerSlots <= MAX_EAGER_SLOTS, "eager slots", eagerSlots);
        require(
                eagerSlotBytes >= 0
                        && eagerSlotBytes <= MAX_EAGER_SLOT_BYTES
                        && eagerSlotBytes % 64 == 0,
                "bytes of an eager slot",
                eagerSlotBytes);
        requireRegion("bytes for unexpected messages", unexpectedBytes);
        requireRegion("bytes for expected messages", expectedBytes);
    }

    /**
     * The bytes of both regions together, which is what the total size of the pool means.
     *
     * @return a multiple of 4096
     */
    public long totalBytes() {
        return unexpectedBytes + expectedBytes;
    }

    /**
     * The most unexpected messages that the server can hold at a time.
     *
     * @return one for each {@value #UNEXPECTED_UNIT_BYTES} bytes of their region, and one for each
     *     eager slot
     */
    public long mostUnexpected() {
        return unexpectedBytes / UNEXPECTED_UNIT_BYTES + (long) maxClients * eagerSlots;
    }

    private static void requireSlots(String what, int slots) {
        boolean powerOfTwo = Integer.bitCount(slots) == 1;
        require(powerOfTwo && slots >= MIN_LANE_SLOTS && slots <= MAX_LANE_SLOTS, what, slots);
    }

    private static void requireRegion(String what, long bytes) {
        boolean pages = bytes % SegmentMap.PAGE_BYTES == 0;
        require(pages && bytes > 0 && bytes <= MAX_REGION_BYTES, what, bytes);
    }

    private static void require(boolean holds, String what, long value) {
        if (!holds) {
            throw new IllegalArgumentException("a segment cannot have " + value + " " + what);
        }
    }
}
