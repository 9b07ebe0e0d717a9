/** {@code bmi conform}: the conformance kit from the command line. */
@NullMarked
package org.jbmi.tools.conform;

import org.jspecify.annotations.NullMarked;
