/** The messages of the shipper. Not exported. */
@NullMarked
package org.jbmi.shipper.wire;

import org.jspecify.annotations.NullMarked;
