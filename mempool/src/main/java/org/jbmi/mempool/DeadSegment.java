package org.jbmi.mempool;

import java.nio.file.Path;

/**
 * A segment whose owner has ended without removing it.
 *
 * @param file that is about to be removed
 * @param ownerPid the process that was its owner
 * @param generation of the segment, 0 if it has none or was retired
 */
public record DeadSegment(Path file, long ownerPid, long generation) {}
