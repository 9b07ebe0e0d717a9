/** Counters, events and the log of a server. */
@NullMarked
package org.jbmi.zoidfs.server.observe;

import org.jspecify.annotations.NullMarked;
