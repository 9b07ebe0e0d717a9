package org.jbmi.zbmi.engine.port;

import org.jbmi.zbmi.protocol.ClientRequests;

/**
 * Every bound of the engine. They are constant for its life.
 *
 * @param maxClients client sessions 1 to this
 * @param maxClientOperations operations a client may have pending
 * @param maxServerOperations operations the server may have pending
 * @param maxExpectedBytes longest expected message
 * @param maxUnexpectedBytes longest unexpected message
 * @param eagerBytes longest message in an eager slot
 * @param eagerSlots eager slots of each client
 * @param eagerPlaces where they lie
 * @param maxListEntries longest list of a server operation
 * @param unexpectedOffset where the region for unexpected messages begins
 * @param unexpectedBytes its size
 * @param expectedOffset where the region for expected messages begins
 * @param expectedBytes its size
 * @param immediateWaitNs how long the reply to a server's post is held back while a client moves
 *     the bytes; 0: never
 */
public record EngineLimits(
        int maxClients,
        int maxClientOperations,
        int maxServerOperations,
        long maxExpectedBytes,
        long maxUnexpectedBytes,
        int eagerBytes,
        int eagerSlots,
        EagerPlaces eagerPlaces,
        int maxListEntries,
        long unexpectedOffset,
        long unexpectedBytes,
        long expectedOffset,
        long expectedBytes,
        long immediateWaitNs) {
    /** How many operations of all peers have an id. */
    public static final int MOST_OPERATIONS = 1 << 30;

    /** The most clients. */
    public static final int MOST_CLIENTS = 1000;

    /** The largest region for unexpected messages. */
    public static final long MOST_UNEXPECTED_BYTES = 1L << 36;

    /**
     * Checks that the numbers go together.
     *
     * @throws IllegalArgumentException if not, in words
     */
    public EngineLimits {
        require(maxClients > 0, "an engine needs room for a client");
        require(maxClientOperations > 0 && maxServerOperations > 0, "no operations are allowed");
        require(maxExpectedBytes > 0 && maxUnexpectedBytes > 0, "no messages are allowed");
        require(
                maxUnexpectedBytes <= unexpectedBytes,
                "the region for unexpected messages is smaller than one of them");
        require(maxUnexpectedBytes <= 1 << 30, "unexpected messages of over 1 GiB");
        require(eagerBytes >= 0 && eagerSlots >= 0 && maxListEntries > 0, "a negative limit");
        require(
                eagerSlots == 0 || eagerBytes <= eagerPlaces.slotBytes(),
                "eager messages are longer than a slot");
        require(eagerSlots <= Long.SIZE, "more than 64 eager slots");
        require(immediateWaitNs >= 0, "a negative wait");
        long ofClient = (long) maxClientOperations + ClientRequests.MOST_KEPT;
        require(
                maxClients * ofClient + maxServerOperations <= MOST_OPERATIONS,
                "all peers together may have more operations than there are ids");
        require(maxClients <= MOST_CLIENTS, "more than 1000 clients");
        require(
                unexpectedBytes <= MOST_UNEXPECTED_BYTES,
                "a region of over 64 GiB for unexpected messages");
    }

    public boolean isExpected(long offset, long lengthBytes) {
        return lengthBytes >= 0
                && lengthBytes <= expectedBytes
                && offset >= expectedOffset
                && offset - expectedOffset <= expectedBytes - lengthBytes;
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
