/** The native binding of this module: calls of the operating system. */
@NullMarked
package org.jbmi.mempool.os;

import org.jspecify.annotations.NullMarked;
