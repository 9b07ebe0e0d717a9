/** The zoid method: its client half and its server half, chosen by whether the caller listens. */
@NullMarked
package org.jbmi.zoid;

import org.jspecify.annotations.NullMarked;
