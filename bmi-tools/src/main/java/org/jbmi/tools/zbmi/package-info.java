/** The commands of {@code zbmi}: the daemon and its counters. */
@NullMarked
package org.jbmi.tools.zbmi;

import org.jspecify.annotations.NullMarked;
