package org.jbmi.mempool.pool;

/**
 * A block that is still allocated, and where it was allocated.
 *
 * @param offset of the block
 * @param sizeBytes that were asked for
 * @param pins operations that use it
 * @param threadName of the thread that allocated it; empty if the pool did not track then
 * @param stackText calls that led to the allocation, one a line, innermost first; empty if the pool
 *     did not track then
 */
public record Leak(long offset, long sizeBytes, int pins, String threadName, String stackText) {}
