/** Converts records to bytes and back; knows nothing of calls. */
@NullMarked
package org.jbmi.shipper.codec;

import org.jspecify.annotations.NullMarked;
