/** The processes that a measurement is made of. */
@NullMarked
package org.jbmi.rig.perf.worker;

import org.jspecify.annotations.NullMarked;
