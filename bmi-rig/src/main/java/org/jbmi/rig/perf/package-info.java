/** Measurements of messages between processes, for {@code bmi perf} and its table of targets. */
@NullMarked
package org.jbmi.rig.perf;

import org.jspecify.annotations.NullMarked;
