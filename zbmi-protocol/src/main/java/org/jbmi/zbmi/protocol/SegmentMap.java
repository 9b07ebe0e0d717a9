package org.jbmi.zbmi.protocol;

import org.jbmi.mempool.SharedMemory;
import org.jspecify.annotations.Nullable;

/**
 * Where everything lies in a zbmi segment. All numbers are little-endian; every part begins at a
 * page. Words that different sides write lie on different lines of 128 bytes. So a side that writes
 * its own words does not take a line away from the other side.
 *
 * <pre>
 *   0      +--------------------------------------+
 *          | page of the segment's own header     |  written and read by org.jbmi.mempool only
 *   4096   +--------------------------------------+
 *          | control page                         |
 *          |   0    magic "ZBMISEG1"          (8) |
 *          |   8    protocol version          (4) |
 *          |   12   max clients               (4) |
 *          |   16   slots of a client lane    (4) |
 *          |   20   slots of a server lane    (4) |
 *          |   24   eager slots of a client   (4) |
 *          |   28   bytes of an eager slot    (4) |
 *          |   32   unexpected region bytes   (8) |
 *          |   40   expected region bytes     (8) |
 *          |   128  engine sleep word         (4) |  bit 0 asleep on it, bit 1 in a selector, 2..31 a number
 *          |   256  doorbell words, one a line    |  word i: sessions 63*i to 63*i+62, bit per session
 *   8192   +--------------------------------------+
 *          | session area 0: the server           |  see {@link SessionArea}
 *          +--------------------------------------+
 *          | session areas 1 to maxClients        |
 *          +--------------------------------------+
 *          | unexpected region                    |  owned by the engine
 *          +--------------------------------------+
 *          | expected region                      |  owned by the allocator of the server process
 *          +--------------------------------------+
 * </pre>
 *
 * <p>An instance is plain arithmetic over a {@link SegmentGeometry}, immutable, and holds no
 * memory.
 */
public final class SegmentMap {
    /** Changes whenever a layout or a message changes; other versions are refused. */
    public static final int PROTOCOL_VERSION = 10;

    /** "ZBMISEG1" as the first eight bytes of the control page. */
    public static final long MAGIC = 0x31474553494d425aL;

    /** Granularity of the parts. */
    public static final int PAGE_BYTES = 4096;

    /** Distance of words that different sides write. */
    public static final int LINE_BYTES = 128;

    /** The session of the server; clients have 1 and on. */
    public static final int SERVER_SESSION = 0;

    /** Sessions that share a doorbell word. */
    public static final int SESSIONS_PER_DOORBELL = 63;

    static final long CONTROL_OFFSET = PAGE_BYTES;
    private static final long VERSION_FIELD = CONTROL_OFFSET + 8;
    private static final long MAX_CLIENTS_FIELD = CONTROL_OFFSET + 12;
    private static final long CLIENT_SLOTS_FIELD = CONTROL_OFFSET + 16;
    private static final long SERVER_SLOTS_FIELD = CONTROL_OFFSET + 20;
    private static final long EAGER_SLOTS_FIELD = CONTROL_OFFSET + 24;
    private static final long EAGER_BYTES_FIELD = CONTROL_OFFSET + 28;
    private static final long UNEXPECTED_FIELD = CONTROL_OFFSET + 32;
    private static final long EXPECTED_FIELD = CONTROL_OFFSET + 40;
    private static final long ENGINE_SLEEP_WORD = CONTROL_OFFSET + LINE_BYTES;
    private static final long DOORBELLS = CONTROL_OFFSET + 2 * LINE_BYTES;
    private static final long SESSIONS = CONTROL_OFFSET + PAGE_BYTES;

    private final SegmentGeometry geometry;

    // Of the geometry: what each message needs.
    private final int maxClients;
    private final int clientLaneSlots;
    private final int serverLaneSlots;
    private final int eagerSlots;
    private final int eagerSlotBytes;
    private final long serverAreaBytes;
    private final long clientAreaBytes;
    private final long unexpectedOffset;
    private final long expectedOffset;

    /**
     * Computes the offsets.
     *
     * @param geometry checked numbers
     */
    public SegmentMap(SegmentGeometry geometry) {
        this.geometry = geometry;
        this.maxClients = geometry.maxClients();
        this.clientLaneSlots = geometry.clientLaneSlots();
        this.serverLaneSlots = geometry.serverLaneSlots();
        this.eagerSlots = geometry.eagerSlots();
        this.eagerSlotBytes = geometry.eagerSlotBytes();
        this.serverAreaBytes = SessionArea.bytes(serverLaneSlots, 0, 0);
        this.clientAreaBytes = SessionArea.bytes(clientLaneSlots, eagerSlots, eagerSlotBytes);
        this.unexpectedOffset = SESSIONS + serverAreaBytes + clientAreaBytes * maxClients;
        this.expectedOffset = unexpectedOffset + geometry.unexpectedBytes();
    }

    /** The numbers that this map was computed from. */
    public SegmentGeometry geometry() {
        return geometry;
    }

    /** Client sessions there is room for. */
    public int maxClients() {
        return maxClients;
    }

    /** Bytes of the whole segment. */
    public long segmentBytes() {
        return expectedOffset + geometry.expectedBytes();
    }

    /** Where the engine's sleep word lies. */
    public long engineSleepWordOffset() {
        return ENGINE_SLEEP_WORD;
    }

    /** How many doorbell words are in use. */
    public int doorbellWords() {
        return maxClients / SESSIONS_PER_DOORBELL + 1;
    }

    /**
     * Where a doorbell word lies.
     *
     * @param word 0 to {@link #doorbellWords()} - 1
     */
    public long doorbellOffset(int word) {
        return DOORBELLS + (long) word * LINE_BYTES;
    }

    /**
     * The part of a session.
     *
     * @param session {@link #SERVER_SESSION}, or 1 to {@code maxClients}
     */
    public SessionArea session(int session) {
        if (session == SERVER_SESSION) {
            return new SessionArea(session, SESSIONS, serverLaneSlots, 0, 0);
        }
        if (session < 0 || session > maxClients) {
            throw new IllegalArgumentException("no session " + session);
        }
        return new SessionArea(
                session,
                SESSIONS + serverAreaBytes + clientAreaBytes * (session - 1),
                clientLaneSlots,
                eagerSlots,
                eagerSlotBytes);
    }

    /**
     * How many slots each lane of a session has. It is called for each message, so it allocates no
     * {@link SessionArea}.
     *
     * @param session {@link #SERVER_SESSION}, or 1 to {@code maxClients}
     */
    public int laneSlots(int session) {
        return session == SERVER_SESSION ? serverLaneSlots : clientLaneSlots;
    }

    /** Where the region for unexpected messages begins. */
    public long unexpectedOffset() {
        return unexpectedOffset;
    }

    /** Where the region for expected messages begins. */
    public long expectedOffset() {
        return expectedOffset;
    }

    /**
     * Whether a range lies inside the region for expected messages. An empty one may lie at its
     * end.
     *
     * @param offset any number
     * @param lengthBytes any number
     */
    public boolean isExpected(long offset, long lengthBytes) {
        return contains(expectedOffset, geometry.expectedBytes(), offset, lengthBytes);
    }

    /**
     * Whether a range lies inside the region for unexpected messages.
     *
     * @param offset any number
     * @param lengthBytes any number
     */
    public boolean isUnexpected(long offset, long lengthBytes) {
        return contains(unexpectedOffset, expectedOffset - unexpectedOffset, offset, lengthBytes);
    }

    /**
     * Whether a range lies inside an eager slot of a client.
     *
     * @param client a session; any number
     * @param offset any number
     * @param lengthBytes any number
     */
    public boolean isInEagerSlot(int client, long offset, long lengthBytes) {
        if (client <= SERVER_SESSION || client > maxClients || eagerSlotBytes == 0) {
            return false;
        }
        long slots = (long) eagerSlots * eagerSlotBytes;
        long start = eagerSlotsOffset() + clientAreaBytes * (client - 1);
        return contains(start, slots, offset, lengthBytes)
                && (offset - start) % eagerSlotBytes + lengthBytes <= eagerSlotBytes;
    }

    /** Where the eager slots of the first client begin. */
    public long eagerSlotsOffset() {
        return SESSIONS + serverAreaBytes + SessionArea.eagerSlotsFrom(clientLaneSlots, eagerSlots);
    }

    /** Bytes from an area of a client to that of the next. */
    public long clientAreaBytes() {
        return clientAreaBytes;
    }

    private static boolean contains(long start, long size, long offset, long lengthBytes) {
        return lengthBytes >= 0
                && lengthBytes <= size
                && offset >= start
                && offset - start <= size - lengthBytes;
    }

    /** Writes the control page of a new segment; its magic last. The memory must be zeros. */
    public void writeControlPage(SharedMemory memory) {
        memory.setIntPlain(VERSION_FIELD, PROTOCOL_VERSION);
        memory.setIntPlain(MAX_CLIENTS_FIELD, maxClients);
        memory.setIntPlain(CLIENT_SLOTS_FIELD, clientLaneSlots);
        memory.setIntPlain(SERVER_SLOTS_FIELD, serverLaneSlots);
        memory.setIntPlain(EAGER_SLOTS_FIELD, eagerSlots);
        memory.setIntPlain(EAGER_BYTES_FIELD, eagerSlotBytes);
        memory.setLongPlain(UNEXPECTED_FIELD, geometry.unexpectedBytes());
        memory.setLongPlain(EXPECTED_FIELD, geometry.expectedBytes());
        memory.setLongRelease(CONTROL_OFFSET, MAGIC);
    }

    /**
     * Compares a mapped segment with this map.
     *
     * @return null if it is such a segment, or a text that names the difference
     */
    public @Nullable String mismatch(SharedMemory memory) {
        if (memory.sizeBytes() < segmentBytes()) {
            return "the segment has "
                    + memory.sizeBytes()
                    + " bytes where "
                    + segmentBytes()
                    + " were announced";
        }
        if (memory.getLongAcquire(CONTROL_OFFSET) != MAGIC) {
            return "the segment is not a zbmi segment";
        }
        int version = memory.getIntPlain(VERSION_FIELD);
        if (version != PROTOCOL_VERSION) {
            return "the segment has protocol version " + version + ", not " + PROTOCOL_VERSION;
        }
        boolean same =
                memory.getIntPlain(MAX_CLIENTS_FIELD) == maxClients
                        && memory.getIntPlain(CLIENT_SLOTS_FIELD) == clientLaneSlots
                        && memory.getIntPlain(SERVER_SLOTS_FIELD) == serverLaneSlots
                        && memory.getIntPlain(EAGER_SLOTS_FIELD) == eagerSlots
                        && memory.getIntPlain(EAGER_BYTES_FIELD) == eagerSlotBytes
                        && memory.getLongPlain(UNEXPECTED_FIELD) == geometry.unexpectedBytes()
                        && memory.getLongPlain(EXPECTED_FIELD) == geometry.expectedBytes();
        return same ? null : "the layout of the segment is not the one that the host announced";
    }
}
