/** Counts which fault met which state, so that what a simulation never played is seen. */
@NullMarked
package org.jbmi.simulator.coverage;

import org.jspecify.annotations.NullMarked;
