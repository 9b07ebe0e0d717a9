/** Breaks a rule on purpose, see {@link org.jbmi.architecture}. */
@NullMarked
package org.jbmi.zbmi.engine.guilty;

import org.jspecify.annotations.NullMarked;
