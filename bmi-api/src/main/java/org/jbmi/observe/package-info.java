/** Counters, which other code and other processes can read. */
@NullMarked
package org.jbmi.observe;

import org.jspecify.annotations.NullMarked;
