/** Breaks a rule on purpose, see {@link org.jbmi.architecture}. */
@NullMarked
package org.jbmi.zoid.guilty;

import org.jspecify.annotations.NullMarked;
