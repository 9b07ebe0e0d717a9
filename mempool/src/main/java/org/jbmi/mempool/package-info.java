/** Shared segments and the pool allocator that hands out blocks of them. */
@NullMarked
package org.jbmi.mempool;

import org.jspecify.annotations.NullMarked;
