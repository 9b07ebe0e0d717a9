/** Breaks a rule on purpose, see {@link org.jbmi.architecture}. */
@NullMarked
package org.jbmi.mempool.guilty;

import org.jspecify.annotations.NullMarked;
