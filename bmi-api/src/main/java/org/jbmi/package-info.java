/** The Buffered Message Interface: open it, post operations, test for their completion. */
@NullMarked
package org.jbmi;

import org.jspecify.annotations.NullMarked;
