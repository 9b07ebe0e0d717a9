/**
 * A world of simulated processes: the production engine, session table, lanes, links and channels,
 * and both halves of the zoid method. They run in one thread under a schedule that follows from a
 * seed. What a process is, and what it talks through, is in the packages below. Here are the ones
 * of zoid, the faults that befall them, and the checks.
 */
@NullMarked
package org.jbmi.simulator;

import org.jspecify.annotations.NullMarked;
