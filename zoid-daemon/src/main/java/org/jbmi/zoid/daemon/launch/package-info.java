/** How a launcher passes on what the processes of its job write. */
@NullMarked
package org.jbmi.zoid.daemon.launch;

import org.jspecify.annotations.NullMarked;
