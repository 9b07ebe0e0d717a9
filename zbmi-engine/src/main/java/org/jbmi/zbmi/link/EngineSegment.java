package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.protocol.SegmentMap;

/**
 * The segment as the process sees it that runs the engine.
 *
 * @param memory of the whole segment
 * @param map where everything lies in it
 * @param waiting how to sleep and wake
 */
public record EngineSegment(SharedMemory memory, SegmentMap map, Waiting waiting) {}
