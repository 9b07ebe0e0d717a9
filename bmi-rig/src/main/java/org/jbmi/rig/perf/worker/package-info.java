/** The processes of a measurement: their plans and settings. */
@NullMarked
package org.jbmi.rig.perf.worker;

import org.jspecify.annotations.NullMarked;
