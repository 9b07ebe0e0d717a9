/** Tables of many measurements. */
@NullMarked
package org.jbmi.rig.perf.table;

import org.jspecify.annotations.NullMarked;
