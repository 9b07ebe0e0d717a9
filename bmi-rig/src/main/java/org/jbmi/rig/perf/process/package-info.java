/** The program of the processes that a measurement is made of. */
@NullMarked
package org.jbmi.rig.perf.process;

import org.jspecify.annotations.NullMarked;
