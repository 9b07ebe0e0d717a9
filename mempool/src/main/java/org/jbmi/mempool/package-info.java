/**
 * Shared memory segments: how processes create, open, check and remove them, and how they read and
 * write them. Also how a thread waits for a word of a segment, and whether another process lives.
 * The clocks and waits are interfaces, so that a simulation can replace them.
 */
@NullMarked
package org.jbmi.mempool;

import org.jspecify.annotations.NullMarked;
