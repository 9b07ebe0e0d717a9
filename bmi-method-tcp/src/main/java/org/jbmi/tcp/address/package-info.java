/** Addresses of the tcp method: their grammar, address ranges, and the trusted sources. */
@NullMarked
package org.jbmi.tcp.address;

import org.jspecify.annotations.NullMarked;
