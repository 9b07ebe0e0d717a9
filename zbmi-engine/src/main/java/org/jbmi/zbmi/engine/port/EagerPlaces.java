package org.jbmi.zbmi.engine.port;

import org.jbmi.zbmi.protocol.SegmentMap;

/**
 * Where the eager slots of the clients lie in the segment.
 *
 * @param firstOffset where those of client 1 begin
 * @param strideBytes from there to those of the next client
 * @param slotBytes size of a slot
 */
public record EagerPlaces(long firstOffset, long strideBytes, int slotBytes) {
    /** For an engine without eager slots. */
    public static final EagerPlaces NONE = new EagerPlaces(0, 0, 0);

    /** Those of a segment. */
    public static EagerPlaces of(SegmentMap map) {
        return new EagerPlaces(
                map.eagerSlotsOffset(), map.clientAreaBytes(), map.geometry().eagerSlotBytes());
    }

    /** Where a slot lies. */
    public long offset(int client, int slot) {
        return firstOffset + (client - 1) * strideBytes + (long) slot * slotBytes;
    }

    /** The client in whose area an offset lies, which is not trusted: any number. */
    public long clientAt(long offset) {
        return strideBytes == 0 ? 0 : Math.floorDiv(offset - firstOffset, strideBytes) + 1;
    }

    /** The slot of a client that begins at an offset; any number. */
    public long slotAt(int client, long offset) {
        long distance = offset - offset(client, 0);
        return slotBytes == 0 || distance % slotBytes != 0 ? -1 : distance / slotBytes;
    }
}
