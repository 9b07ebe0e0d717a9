/** The command {@code bmi perf} and its options. */
@NullMarked
package org.jbmi.rig.perf.command;

import org.jspecify.annotations.NullMarked;
