/** The command {@code bmi info}. */
@NullMarked
package org.jbmi.tools.info;

import org.jspecify.annotations.NullMarked;
