/**
 * The command queues between daemon and server that lie outside the segment, as the production
 * channels see them. These are message queues of the system, and the files of Chronicle Queue on a
 * disk that may be full.
 */
@NullMarked
package org.jbmi.simulator.queue;

import org.jspecify.annotations.NullMarked;
