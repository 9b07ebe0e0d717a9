/**
 * A world of simulated processes: the production engine, session table, lanes, links and channels,
 * and both halves of the zoid method, in one thread under a schedule that follows from a seed.
 * Memory, waiting, clock, liveness, sockets and processes are simulated.
 */
@NullMarked
package org.jbmi.simulator;

import org.jspecify.annotations.NullMarked;
