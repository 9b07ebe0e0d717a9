/** Packets of processes: answered here, or translated and sent on. */
@NullMarked
package org.jbmi.zoid.daemon.packet;

import org.jspecify.annotations.NullMarked;
