/** What a process of a measurement is told to do, and what it reports. */
@NullMarked
package org.jbmi.rig.perf.phase;

import org.jspecify.annotations.NullMarked;
