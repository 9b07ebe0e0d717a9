/** Checks that a simulation goes on. */
@NullMarked
package org.jbmi.simulator.watch;

import org.jspecify.annotations.NullMarked;
