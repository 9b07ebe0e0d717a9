/** Loads the library so that each allocation first asks the simulator whether the heap has room. */
@NullMarked
package org.jbmi.simulator.heap;

import org.jspecify.annotations.NullMarked;
