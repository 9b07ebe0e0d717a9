package org.jbmi.rig.zoidfs;

import org.jbmi.tools.cli.ToolException;

import java.io.IOException;

/**
 * One comparison.
 *
 * @param method of the messages
 * @param measure what it measures
 * @param beside what to compare with
 * @param goal the least good ratio
 * @param bytes how many bytes one step moves; 0 where steps are counted
 * @param ours makes our side
 * @param theirs makes the other one
 */
record Row(
        String method,
        String measure,
        String beside,
        double goal,
        int bytes,
        Opening ours,
        Opening theirs) {
    /** Makes a side. */
    interface Opening {
        Side open() throws IOException, ToolException;
    }
}
