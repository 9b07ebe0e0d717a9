/** The pending operations of another process, through the flight recorder. */
@NullMarked
package org.jbmi.tools.pending;

import org.jspecify.annotations.NullMarked;
