/** The client of call forwarding, for programs that call plug-ins. */
@NullMarked
package org.jbmi.zoid.forward.client;

import org.jspecify.annotations.NullMarked;
