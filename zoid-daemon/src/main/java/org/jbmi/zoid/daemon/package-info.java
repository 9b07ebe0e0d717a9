/** The server of ZOID's call forwarding: processes, jobs, plug-ins, and what is counted of them. */
@NullMarked
package org.jbmi.zoid.daemon;

import org.jspecify.annotations.NullMarked;
