/** Addresses of the tcp method: their grammar, ranges of them, and who is trusted. */
@NullMarked
package org.jbmi.tcp.address;

import org.jspecify.annotations.NullMarked;
