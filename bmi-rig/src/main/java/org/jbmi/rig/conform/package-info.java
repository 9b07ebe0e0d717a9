/** {@code bmi conform}: the conformance kit from the command line. */
@NullMarked
package org.jbmi.rig.conform;

import org.jspecify.annotations.NullMarked;
