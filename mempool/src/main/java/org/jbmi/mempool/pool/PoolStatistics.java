package org.jbmi.mempool.pool;

/**
 * The figures of a pool at one moment.
 *
 * @param capacityBytes length of the pool
 * @param usedBytes in allocated blocks, rounding included
 * @param requestedBytes requested for these blocks
 * @param largestFreeBytes longest block that is free
 * @param highWaterBytes the most that was ever in use
 * @param blocks allocated now
 * @param allocations served so far
 * @param frees accepted so far
 * @param failures requests that found no memory
 * @param refusals of frees of memory that was no block, or in use
 */
public record PoolStatistics(
        long capacityBytes,
        long usedBytes,
        long requestedBytes,
        long largestFreeBytes,
        long highWaterBytes,
        long blocks,
        long allocations,
        long frees,
        long failures,
        long refusals) {

    /**
     * The bytes in no allocated block.
     *
     * @return bytes, perhaps in many pieces
     */
    public long freeBytes() {
        return capacityBytes - usedBytes;
    }
}
