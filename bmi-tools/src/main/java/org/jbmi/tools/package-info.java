/** The programs {@code bmi}, {@code zbmi}, {@code zoid} and {@code zoidfs}. */
@NullMarked
package org.jbmi.tools;

import org.jspecify.annotations.NullMarked;
