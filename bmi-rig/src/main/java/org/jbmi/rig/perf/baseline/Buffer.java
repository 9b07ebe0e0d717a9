package org.jbmi.rig.perf.baseline;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Memory of a message, for those who take a segment and for those who take a byte buffer.
 *
 * @param memory native memory, as long as the message
 * @param bytes the same memory; who uses it sets its position first
 */
public record Buffer(MemorySegment memory, ByteBuffer bytes) {}
