/** Measures messages between processes: what {@code bmi perf} and its table of targets run. */
@NullMarked
package org.jbmi.rig.perf;

import org.jspecify.annotations.NullMarked;
