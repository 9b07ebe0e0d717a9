/** Counts which fault met which state, to show what a simulation has not covered. */
@NullMarked
package org.jbmi.simulator.coverage;

import org.jspecify.annotations.NullMarked;
