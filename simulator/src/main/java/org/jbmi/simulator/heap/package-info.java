/** Loads the library so that it asks, before each object that it makes, whether there is room. */
@NullMarked
package org.jbmi.simulator.heap;

import org.jspecify.annotations.NullMarked;
