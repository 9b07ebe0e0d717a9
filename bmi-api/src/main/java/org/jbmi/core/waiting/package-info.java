/** Who makes progress, and how threads wait for it. Knows nothing of operations. Not exported. */
@NullMarked
package org.jbmi.core.waiting;

import org.jspecify.annotations.NullMarked;
