/** What the shipper counts and records. Not exported. */
@NullMarked
package org.jbmi.shipper.watch;

import org.jspecify.annotations.NullMarked;
