/** The server of ZOID's call forwarding: processes, jobs, plug-ins, and their counters. */
@NullMarked
package org.jbmi.zoid.daemon;

import org.jspecify.annotations.NullMarked;
