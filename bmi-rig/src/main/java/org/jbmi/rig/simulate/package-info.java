/** The command {@code bmi simulate}. */
@NullMarked
package org.jbmi.rig.simulate;

import org.jspecify.annotations.NullMarked;
