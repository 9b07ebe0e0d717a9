/** Commands that show the calls and counters of shipper servers. */
@NullMarked
package org.jbmi.tools.shipper;

import org.jspecify.annotations.NullMarked;
