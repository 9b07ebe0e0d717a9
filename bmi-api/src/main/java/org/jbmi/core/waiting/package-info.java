/** Which thread makes progress, and how threads wait. Knows nothing of operations. Not exported. */
@NullMarked
package org.jbmi.core.waiting;

import org.jspecify.annotations.NullMarked;
