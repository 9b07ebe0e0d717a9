/** Commands that look at shippers. */
@NullMarked
package org.jbmi.tools.shipper;

import org.jspecify.annotations.NullMarked;
