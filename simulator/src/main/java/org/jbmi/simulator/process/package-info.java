/**
 * Simulated processes: their threads, memory, clock and end, and the schedule that they run in. A
 * process is one of zoid's only by what its subclass does; here it computes, sleeps, is interrupted
 * and dies.
 */
@NullMarked
package org.jbmi.simulator.process;

import org.jspecify.annotations.NullMarked;
