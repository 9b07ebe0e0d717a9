/**
 * The pool allocator: hands out blocks of one piece of memory and takes them back, in constant time
 * except for a short search. Its tables are on the heap and not in that memory. It refuses what is
 * not a block of its own or is pinned by an operation, and can say where a leaked block was
 * allocated. It does not know whether its memory is shared.
 */
@NullMarked
package org.jbmi.mempool.pool;

import org.jspecify.annotations.NullMarked;
