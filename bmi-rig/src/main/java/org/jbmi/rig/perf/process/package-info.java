/** The main program of the processes of a measurement. */
@NullMarked
package org.jbmi.rig.perf.process;

import org.jspecify.annotations.NullMarked;
