/** Breaks a rule on purpose, see {@link org.jbmi.architecture}. */
@NullMarked
package org.jbmi.architecture.guilty;

import org.jspecify.annotations.NullMarked;
