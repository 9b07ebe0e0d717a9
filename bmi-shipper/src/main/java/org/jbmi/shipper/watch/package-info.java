/** Counters and flight recorder events of the shipper. Not exported. */
@NullMarked
package org.jbmi.shipper.watch;

import org.jspecify.annotations.NullMarked;
