/** What client and server of call forwarding say to each other: inputs and outputs of calls. */
@NullMarked
package org.jbmi.zoid.forward.wire;

import org.jspecify.annotations.NullMarked;
