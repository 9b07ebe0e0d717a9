/** The inputs and outputs of calls between client and server of call forwarding. */
@NullMarked
package org.jbmi.zoid.forward.wire;

import org.jspecify.annotations.NullMarked;
