/** Tables of many measurements, one after the other. */
@NullMarked
package org.jbmi.rig.perf.table;

import org.jspecify.annotations.NullMarked;
