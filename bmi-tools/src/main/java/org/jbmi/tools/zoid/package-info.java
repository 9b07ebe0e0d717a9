/** Commands of ZOID call forwarding. */
@NullMarked
package org.jbmi.tools.zoid;

import org.jspecify.annotations.NullMarked;
