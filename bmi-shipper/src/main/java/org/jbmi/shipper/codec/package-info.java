/** How records become bytes and bytes become records; knows nothing of calls. */
@NullMarked
package org.jbmi.shipper.codec;

import org.jspecify.annotations.NullMarked;
