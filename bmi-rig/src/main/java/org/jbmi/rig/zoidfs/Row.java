package org.jbmi.rig.zoidfs;

import org.jbmi.tools.cli.ToolException;

import java.io.IOException;

/**
 * One comparison.
 *
 * @param goal the least good ratio
 * @param bytes how many bytes one step moves; 0 where steps are counted
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
